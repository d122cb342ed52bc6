import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const SOURCE = "exports.add = (a, b) => a + b;\nexports.sub = (a, b) => a - b;\n";
const WRONG = SOURCE.replace("a + b", "a + b + 1");
const TESTS = `const { test } = require("node:test");
const assert = require("node:assert");
const { add, sub } = require("../src/sum.js");
test("adds", () => {
  assert.equal(add(1, 2), 3);
});
test("subtracts", () => {
  assert.equal(sub(3, 2), 1);
});
`;
const REWRITTEN = TESTS.replace("add(1, 2), 3", "add(1, 2), 4");
const TEST_FILE = "test/sum.test.js";
const FOUND =
  'test/sum.test.js:5 passes only with the changed tests: "adds": the original had `assert.equal(add(1, 2), 3);`, now has `assert.equal(add(1, 2), 4);`';

const configOf = (guards: string, checks = "  test: npm test\n"): string =>
  `base_branch: main\nchecks:\n${checks}guards:\n${guards}stop_hook:\n  when_active: enforce\n`;

async function projectWith(
  guards: string,
  more: Readonly<Record<string, string>> = {},
): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": configOf(guards),
    "package.json": '{ "scripts": { "test": "node --test" } }\n',
    "src/sum.js": SOURCE,
    [TEST_FILE]: TESTS,
    "../home/tmp/.keep": "",
    ...more,
  });
  await project.commit("start");
  return project;
}

/** With a temporary directory of its own, to see what is left there. */
const stopIn = (project: GauntletProject, event: Readonly<Record<string, unknown>> = {}) =>
  project.stop(event, { env: { TMPDIR: join(project.home, "tmp") } });

test("names a rewritten expectation with the old and the new one, and leaves nothing behind", async () => {
  await using project = await projectWith("  original-tests: tell\n");
  await project.write({ "src/sum.js": WRONG, [TEST_FILE]: REWRITTEN });

  const { answer } = await stopIn(project);

  expect(answer).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
  expect(answer.systemMessage).toContain(FOUND);
  expect(project.read(TEST_FILE)).toBe(REWRITTEN);
  expect(readdirSync(join(project.home, "tmp"))).toEqual([".keep"]);
  expect(await project.git("status", "--porcelain")).toBe(" M src/sum.js\n M test/sum.test.js\n");
});

test("does not bother an agent that fixes the code, extends a test or moves one", async () => {
  await using project = await projectWith("  original-tests: block\n");
  const more = 'test("adds zero", () => {\n  assert.equal(add(1, 0), 1);\n});\n';
  await project.write({
    "src/sum.js": `${SOURCE}exports.mul = (a, b) => a * b;\n`,
    "test/more/sum.test.js": `${TESTS.replace("../src", "../../src")}${more}`,
  });
  rmSync(join(project.root, TEST_FILE));

  const { answer } = await stopIn(project);

  expect(answer).toMatchObject({ decision: "approve", status: "passed" });
});

test("block: the agent restores the test or gives a reason; a second stop runs nothing again", async () => {
  await using project = await projectWith("  original-tests: block\n");
  await project.write({ "src/sum.js": WRONG, [TEST_FILE]: REWRITTEN });

  const first = await stopIn(project);
  const sheet = "gauntlet_logs/guard_._original-tests.slot-1.json";
  const answered = project.read(sheet).replace('"status": "new"', '"status": "skipped"');
  await project.write({ [sheet]: answered.replace(/"result": ".*"/, '"result": "the user wants 4"') });
  const second = await stopIn(project, { stop_hook_active: true });
  const logs = readdirSync(join(project.root, "gauntlet_logs")).filter((name) =>
    name.startsWith("original-tests"),
  );

  expect(first.answer.decision).toBe("block");
  expect(first.answer.reason).toContain("── original-tests failed: 1 finding ──");
  expect(first.answer.reason).toContain("Restore the original test and fix the code instead.");
  expect(second.answer).toMatchObject({ decision: "approve" });
  expect(second.answer.systemMessage).toContain("the agent's reason: the user wants 4");
  expect(logs.filter((name) => name.includes(".2.") || name.includes("_2"))).toEqual([]);
});

test("names changed settings and scripts behind a gate, with what they hide", async () => {
  const lint = 'while read word; do grep -n "$word" src/*.js && exit 1; done < .flake8; exit 0\n';
  await using project = await projectWith("  original-tests: tell\n", {
    ".gauntlet/config.yml": configOf(
      "  original-tests: tell\n",
      "  lint: sh tools/lint.sh\n  test: npm test\n",
    ),
    ".flake8": "debugger\n",
    "tools/lint.sh": lint,
  });
  await project.write({
    "src/sum.js": `${WRONG}debugger;\n`,
    ".flake8": "nothing\n",
    "package.json": '{ "scripts": { "test": "true" }, "dependencies": {} }\n',
  });

  const { answer } = await stopIn(project);

  expect(answer.systemMessage).toContain(
    'check "lint" passes only with the changed settings (.flake8), which had `debugger`, now has `nothing`',
  );
  expect(answer.systemMessage).toMatch(
    /check "test" passes only with the changed settings \(package\.json\).*; else 1 problem: test\/sum\.test\.js:5 adds/s,
  );
});

test("tells old tests that no longer build apart, and says nothing of tests that went with their subject", async () => {
  await using project = await projectWith("  original-tests: block\n", {
    "src/old.js": "exports.old = () => 1;\n",
    "test/old.test.js": TESTS.replace("../src/sum.js", "../src/old.js").replace(/adds|subtracts/g, "old $&"),
  });
  for (const name of ["src/old.js", "test/old.test.js", "src/sum.js"]) rmSync(join(project.root, name));
  await project.write({ "src/total.js": SOURCE, [TEST_FILE]: TESTS.replace("sum.js", "total.js") });

  const { answer } = await stopIn(project);

  expect(answer).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
  expect(answer.systemMessage).toContain("old tests no longer build: 1 file (test/sum.test.js)");
});

test("a check that needs files that git ignores accuses nobody", async () => {
  await using project = await projectWith("  original-tests: block\n", {
    ".gitignore": "local.json\n",
    "test/env.test.js": 'require("../local.json");\n',
    "local.json": "{}\n",
  });
  await project.write({ "test/env.test.js": 'require("../local.json");\n// a comment\n' });

  const { answer } = await stopIn(project);

  expect(answer).toMatchObject({ decision: "approve" });
  expect(answer.systemMessage).toContain('check "test": it fails in a checkout of the same files, too');
});

test("what others committed is theirs, and a stop without git is answered", async () => {
  await using project = await projectWith("  original-tests: block\n");
  await project.write({ "../home/x": "" });
  await project.stop(); // the session begins
  await project.write({ "src/sum.js": WRONG, [TEST_FILE]: REWRITTEN });
  await project.git("add", "--all");
  const other = ["-c", "user.name=Other", "-c", "user.email=other@example.com"];
  await project.git(...other, "commit", "--quiet", "--message", "theirs");
  await project.write({ "src/more.js": "" });

  const theirs = await stopIn(project);
  rmSync(join(project.root, ".git"), { recursive: true });
  await project.write({ [TEST_FILE]: REWRITTEN.replace("1);", "1 );") });
  const without = await stopIn(project, { session_id: "session-2" });

  expect(theirs.answer).toMatchObject({ decision: "approve", status: "passed" });
  expect(without.answer).toMatchObject({ decision: "approve" });
});

const PYTHON = `import unittest
from sums import add


class Sums(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)


if __name__ == "__main__":
    unittest.main()
`;

test("unittest: a rewritten expectation, and a new test that passes without the change", async () => {
  const guards = "  original-tests: tell\n  unproven-tests: tell\n";
  await using project = await projectWith(guards, {
    ".gauntlet/config.yml": configOf(guards, "  test: python3 -m unittest\n"),
    "sums.py": "def add(a, b):\n    return a + b\n",
    "test_sums.py": PYTHON,
    "test_more.py": PYTHON.replace("test_add", "test_more"),
  });
  await project.write({
    "sums.py": "def add(a, b):\n    return a + b + 1\n",
    "test_sums.py": PYTHON.replace("2), 3", "2), 4"),
    "test_more.py": PYTHON.replace("test_add", "test_more").replace("add(1, 2), 3", "4, 4"),
    "test_new.py": PYTHON.replace("test_add", "test_new").replace("add(1, 2), 3", "1 + 1, 2"),
  });

  const { answer } = await stopIn(project);

  expect(answer.systemMessage).toContain(
    'test_sums.py:7 passes only with the changed tests: "test_add": the original had `self.assertEqual(add(1, 2), 3)`, now has `self.assertEqual(add(1, 2), 4)`',
  );
  expect(answer.systemMessage).toContain('test_new.py:6 new test "test_new" passes without the change, too');
});

test("unproven-tests: one test that proves the change proves the others of its file", async () => {
  await using project = await projectWith("  unproven-tests: block\n");
  const proof = 'test("adds numbers in text", () => {\n  assert.equal(add("1", 2), 3);\n});\n';
  const beside = 'test("adds zero", () => {\n  assert.equal(add(0, 0), 0);\n});\n';
  await project.write({
    "src/sum.js": SOURCE.replace("a + b", "Number(a) + b"),
    [TEST_FILE]: `${TESTS}${proof}${beside}`,
  });

  const proven = await stopIn(project);
  await project.write({ [TEST_FILE]: `${TESTS}${beside}` });
  const unproven = await stopIn(project);

  expect(proven.answer).toMatchObject({ decision: "approve", status: "passed" });
  expect(unproven.answer.reason).toContain(
    'test/sum.test.js:10 medium new test "adds zero" passes without the change',
  );
});

test("untested-changes: changed lines that the coverage report of a check knows and nothing ran", async () => {
  const checks = "  test:\n    command: cp report.txt lcov.info\n    coverage: lcov.info\n";
  await using project = await projectWith("  untested-changes: tell\n", {
    ".gauntlet/config.yml": configOf("  untested-changes: tell\n", checks),
    ".gitignore": "lcov.info\n",
    "report.txt": "SF:src/sum.js\nDA:1,3\nDA:3,0\nDA:4,0\nDA:6,1\nend_of_record\n",
  });
  await project.write({ "src/sum.js": `${SOURCE}if (a) {\n  b();\n}\nc();\n` });

  const { answer } = await stopIn(project);

  expect(answer.systemMessage).toContain("src/sum.js:3 passed, but nothing ran lines 3-4: `if (a) {`");
});

test("--no-guards leaves them out, and is no pass of everything", async () => {
  await using project = await projectWith("  original-tests: block\n");
  await project.write({ "src/sum.js": WRONG, [TEST_FILE]: REWRITTEN });

  const run = await project.gauntlet(["run", "--no-guards"]);
  const why = await project.gauntlet(["detect", "--why"]);
  const { answer } = await stopIn(project);

  expect(run.stdout).toContain("Status: Passed");
  expect(why.stdout).toContain("test/sum.test.js  test, JavaScript");
  expect(answer.decision).toBe("block");
});

test("`gauntlet accept` in the prompt: the expectation was meant to change, until it changes again", async () => {
  await using project = await projectWith("  original-tests: block\n");
  const start = { session_id: "session-1", cwd: project.root };
  const prompt = (text: string) =>
    project.gauntlet(["prompt-hook"], {
      stdin: JSON.stringify({ ...start, hook_event_name: "UserPromptSubmit", prompt: text }),
    });
  await project.gauntlet(["session-start"], {
    stdin: JSON.stringify({ ...start, hook_event_name: "SessionStart" }),
  });
  await prompt("add one more\n\ngauntlet accept");
  await project.write({ "src/sum.js": WRONG, [TEST_FILE]: REWRITTEN });

  const accepted = await stopIn(project);
  await prompt("now subtract");
  await project.write({ "src/sum.js": WRONG.replace("a - b", "a - b - 1") });
  await project.write({ [TEST_FILE]: REWRITTEN.replace("sub(3, 2), 1", "sub(3, 2), 0") });
  const again = await stopIn(project);

  expect(accepted.answer).toMatchObject({ decision: "approve", status: "passed" });
  expect(accepted.answer.systemMessage).toContain("because you wrote `gauntlet accept` in the chat");
  expect(again.answer.reason).toContain('"subtracts": the original had');
});
