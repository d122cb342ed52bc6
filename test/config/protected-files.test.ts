import { expect, test } from "vitest";
import { concernOf, protectedFileFinder } from "../../src/config/protected-files.ts";

const KINDS: Readonly<Record<string, string | undefined>> = {
  "src/a.test.ts": "test",
  "pkg/web/a.spec.jsx": "test",
  "test/helper.js": "test support",
  "src/__snapshots__/a.test.ts.snap": "snapshot",
  "src/__mocks__/fs.ts": "test support",
  "vitest.config.mts": "test settings",
  "package.json": "test settings",
  ".eslintrc.cjs": "lint settings",
  "pkg/tsconfig.build.json": "type settings",
  "tests/test_a.py": "test",
  "conftest.py": "test settings",
  "pyproject.toml": "test settings",
  "ruff.toml": "lint settings",
  "mypy.ini": "type settings",
  "a_test.go": "test",
  "pkg/testdata/in.json": "test support",
  "tests/cli.rs": "test",
  "Cargo.toml": "lint settings",
  "src/test/java/org/ATest.java": "test",
  "src/test/resources/a.xml": "test support",
  "spec/a_spec.rb": "test",
  ".rubocop.yml": "lint settings",
  "tests/ATest.php": "test",
  "App.Tests/ATests.cs": "test",
  "test/a_test.exs": "test",
  "a.bats": "test",
  "scripts/check.sh": "gate script",
  "acceptance/a.txt": "added",
  "src/a.ts": undefined,
  "src/main.js": undefined,
  "src/testing/kit.ts": undefined,
  "node_modules/a/test/a.test.js": undefined,
  "vendor/a_test.go": undefined,
  ".gauntlet/config.yml": undefined,
  "README.md": undefined,
};

const protectedOf = protectedFileFinder({
  scripts: {
    "scripts/check.sh": { hash: "", gates: [] },
    "src/main.js": { hash: "", gates: [] },
    'package.json script "test"': { hash: "", gates: [] },
  },
  protectedFiles: { add: ["acceptance/**"], remove: ["src/testing/**"] },
});

test.each(Object.entries(KINDS))("%s: %s", (path, kind) => {
  expect(protectedOf(path)?.kind).toBe(kind);
});

test("a file with the settings of every tool concerns every check, a test only those that run tests", () => {
  const paths = ["package.json", "a.test.ts", ".eslintrc", "tsconfig.json", "vitest.config.ts"];
  const concerns = paths.map((path) => concernOf(protectedOf(path) ?? { kind: "added", ecosystem: "any" }));

  expect(concerns).toEqual([undefined, "tests", "lint", "types", "tests"]);
});
