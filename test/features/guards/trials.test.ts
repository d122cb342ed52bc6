import { expect, test } from "vitest";
import { protectedFileFinder } from "../../../src/config/protected-files.ts";
import { expectationOf, hunksOf } from "../../../src/features/guards/trials/expectations.ts";
import { narrowed } from "../../../src/features/guards/trials/narrow-command.ts";
import { withPartOf } from "../../../src/features/guards/trials/settings-parts.ts";
import type { CheckGate } from "../../../src/gates/gate.ts";
import { projectPath } from "../../../src/path.ts";

const MANIFEST = JSON.stringify({
  scripts: { test: "vitest run", unit: "npx jest --ci", all: "eslint . && vitest run", node: "node --test" },
});

const read = (path: string): string | undefined => (path === "package.json" ? MANIFEST : undefined);

function narrow(command: string, ...files: readonly string[]): string | undefined {
  const gate = { command } as CheckGate; // nothing else of it is read
  return narrowed({ gate, workingDirectory: projectPath(".") }, files, read);
}

test.each([
  ["npm test", "npm test -- test/a.js"],
  ["npm run unit", "npm run unit -- test/a.js"],
  ["pnpm test", "pnpm test test/a.js"],
  ["yarn node", "yarn node test/a.js"],
  ["npx vitest run --coverage", "npx vitest run --coverage test/a.js"],
  ["node --import tsx --test", "node --import tsx --test test/a.js"],
  ["python3 -m pytest -q", "python3 -m pytest -q test/a.js"],
  ["python3 -m unittest", "python3 -m unittest test/a.js"],
  ["python3 -m unittest discover -s test", "python3 -m unittest discover -s test -p a.js"],
  ["go test -race ./...", "go test -race ./test"],
  ["npm run all", undefined],
  ["npm ci && npm test", undefined],
  ["vitest run | tee log", undefined],
  ["make test", undefined],
  ["npx vitest run {files}", undefined],
])("%s for one file: %s", (command, expected) => {
  expect(narrow(command, "test/a.js")).toBe(expected);
});

test.each(["a b.test.js", "-x.test.js", "$(id).test.js", "a;b.test.js", "../a.test.js"])(
  "a file called %s narrows nothing",
  (name) => {
    expect(narrow("npm test", name)).toBeUndefined();
  },
);

const partOf = (path: string) => protectedFileFinder({ scripts: {} })(path)?.part ?? expect.fail();

test("settings of package.json are as they were, and dependencies and new scripts stay", () => {
  const now =
    '{ "scripts": { "test": "true", "build": "x" }, "jest": { "bail": 1 }, "dependencies": { "a": "1" } }';
  const before = '{ "scripts": { "test": "jest" }, "mocha": {} }';

  expect(JSON.parse(withPartOf(now, before, partOf("package.json")) ?? "")).toEqual({
    scripts: { test: "jest", build: "x" },
    dependencies: { a: "1" },
    mocha: {},
  });
  expect(withPartOf(now, now, partOf("package.json"))).toBe(now);
  expect(withPartOf("{", before, partOf("package.json"))).toBeUndefined();
});

test("sections of pyproject.toml are as they were", () => {
  const now =
    '[project]\ndependencies = [\n  "a",\n]\n[tool.pytest.ini_options]\naddopts = "-k x"\n[tool.mine]\na = 1\n';
  const before =
    '[project]\n[tool.pytest.ini_options]\naddopts = [\n  "-q",\n]\n[tool.ruff]\nselect = ["E"]\n';

  expect(withPartOf(now, before, partOf("pyproject.toml"))).toBe(
    '[project]\ndependencies = [\n  "a",\n]\n[tool.pytest.ini_options]\naddopts = [\n  "-q",\n]\n[tool.mine]\na = 1\n[tool.ruff]\nselect = ["E"]\n',
  );
  expect(withPartOf(now, now, partOf("pyproject.toml"))).toBe(now);
});

const PATCH = `--- a/x
+++ b/x
@@ -2 +2 @@
-import old
+import new
@@ -5,2 +5,2 @@
-  one(1)
-  two(2)
+  one(1)
+  two(3)
@@ -9 +9,0 @@
-  assert three() == 3
`;
const OLD =
  'a\nimport old\ntest("x", () => {\n\n  one(1)\n  two(2)\n});\ntest("y", () => {\n  assert three() == 3\n';

test.each([
  [{ line: 6 }, { was: "two(2)", is: "two(3)", line: 6 }],
  [{ test: "suite > y" }, { was: "assert three() == 3", is: undefined, line: 9 }],
  [{}, { was: "import old", is: "import new", line: 2 }],
])("the expectation that a test had and has: %j", (failed, expected) => {
  expect(expectationOf({ file: "a.test.js", oldText: OLD, ...failed }, hunksOf(PATCH))).toEqual(expected);
});
