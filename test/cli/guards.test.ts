import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const TESTS = `const { test } = require("node:test");
const assert = require("node:assert");
test("adds", () => {
  assert.equal(1 + 2, 3);
});
test("subtracts", () => {
  assert.equal(3 - 2, 1);
});
`;
const SKIPPED = TESTS.replace('test("subtracts"', 'test.skip("subtracts"');
const CONFIG = ".gauntlet/config.yml";
const SHEET = "gauntlet_logs/guard_._weakened-tests.slot-1.json";

const lengthOf = (list: unknown): number => (list as readonly unknown[]).length;

async function projectWith(guards: string, check = "exit 0"): Promise<GauntletProject> {
  const config = `base_branch: main\nchecks:\n  test: ${check}\nguards:\n${guards}stop_hook:\n  when_active: enforce\n`;
  const project = await GauntletProject.create({ [CONFIG]: config, "test/sum.test.js": TESTS });
  await project.commit("start");
  return project;
}

test("tell: the agent may stop, and its user learns what was done, once per session", async () => {
  await using project = await projectWith("  weakened-tests: tell\n  suppressions: tell\n");
  await project.write({ "test/sum.test.js": SKIPPED, "src/a.py": "x = 1  # type: ignore\n" });

  const first = await project.stop();
  await project.write({ "src/b.py": "" });
  const second = await project.stop();

  expect(first.answer).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
  expect(first.answer.systemMessage).toContain("test/sum.test.js:6 test skipped: `test.skip(");
  expect(first.answer.systemMessage).toContain("src/a.py:1 type checker switched off");
  expect(second.answer.systemMessage).toBeUndefined();
});

test.each(["dist/sum.test.js", "vendor/own/sum.test.js", "test/sum.test.generated.js"])(
  "a test that is moved out of sight, to %s, is deleted",
  async (to) => {
    await using project = await projectWith("  weakened-tests: block\n");
    await project.write({ [to]: TESTS });
    rmSync(join(project.root, "test/sum.test.js"));

    const { answer } = await project.stop();

    expect(answer.reason).toContain("test/sum.test.js high test file deleted with 2 tests");
  },
);

test.each(["LITERAL", "NOGLOB", "GLOB"])("GIT_%s_PATHSPECS hides nothing from it", async (kind) => {
  await using project = await projectWith("  weakened-tests: block\n");
  await project.write({ "test/sum.test.js": SKIPPED });

  const { answer } = await project.stop({}, { env: { [`GIT_${kind}_PATHSPECS`]: "1" } });

  expect(answer.status).toBe("failed");
});

test("a guard counts as a gate where it found something, wherever gates are counted", async () => {
  await using project = await projectWith(
    "  weakened-tests: block\n  suppressions: tell\n  fewer-tests: tell\n",
  );
  await project.write({ "test/sum.test.js": SKIPPED, "src/a.py": "x = 1  # type: ignore\n" });

  const run = await project.gauntlet(["run"]);
  const { answer } = await project.stop();
  const log = await project.gauntlet(["log"]);
  const list = await project.gauntlet(["list"]);
  const listed = await project.json(["list"]);
  const detect = await project.gauntlet(["detect"]);
  const detected = await project.json(["detect"]);
  const detectedOne = await project.json(["detect", "-g", "test"]);

  expect(run.stdout).toContain("Run 1: 1 gate and 3 guards, 2 changed files");
  expect(run.stdout).toContain("\n1 failed · 1 passed · 1 with a warning · ");
  expect(answer.reason).toContain("(1 of 3)");
  expect(log.stdout.match(/3 gates, 1 red/g)).toHaveLength(2);
  expect(list.stdout).toContain("every change\n  guard weakened-tests  block\n");
  expect(listed["guards"]).toContainEqual({ name: "weakened-tests", mode: "block" });
  expect(detect.stdout).toContain("  guard:.:weakened-tests  looks at the whole change (block)\n");
  expect([detected["gates"], detected["guards"], detectedOne["guards"]].map(lengthOf)).toEqual([1, 3, 0]);
});

test("block: a reason lets the agent go, and its user reads the reason", async () => {
  await using project = await projectWith("  weakened-tests: block\n");
  await project.write({ "test/sum.test.js": SKIPPED });

  const blocked = await project.stop();
  const sheet = project.read(SHEET);
  await project.write({ [SHEET]: sheet.replace('"status": "new"', '"status": "skipped"') });
  const without = await project.stop({ stop_hook_active: true });
  const answered = project.read(SHEET).replace('"status": "new"', '"status": "skipped"');
  await project.write({ [SHEET]: answered.replace(/"result": ".*"/, '"result": "it goes away"') });
  const withReason = await project.stop({ stop_hook_active: true });

  expect(blocked.answer.reason).toContain("── weakened-tests failed: 1 finding ──");
  expect(blocked.answer.reason).toContain(`answer in ${SHEET}: find the finding by its "id"`);
  expect(without.answer.decision).toBe("block");
  expect(withReason.answer).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
  expect(withReason.answer.systemMessage).toContain("the agent's reason: it goes away");
});

test("block: undoing it lets the agent go; marking it fixed does not, nor does hiding the file from diffs", async () => {
  await using project = await projectWith("  weakened-tests: block\n");
  await project.write({ "test/sum.test.js": SKIPPED, ".gitattributes": "*.js binary\n" });

  await project.stop();
  await project.write({ [SHEET]: project.read(SHEET).replace('"status": "new"', '"status": "fixed"') });
  const claimed = await project.stop({ stop_hook_active: true });
  await project.write({ "test/sum.test.js": TESTS });
  const undone = await project.stop({ stop_hook_active: true });

  expect(claimed.answer.reason).toContain("marked fixed, but it is still in the change");
  expect(undone.answer).toMatchObject({ decision: "approve", status: "passed" });
});

test("block: status shows the session as it does for a gate, and the run interval does not let it go", async () => {
  await using project = await projectWith("  weakened-tests: block\n");
  const interval = project.read(CONFIG).replace("stop_hook:\n", "stop_hook:\n  run_interval_minutes: 10\n");
  await project.write({ "test/sum.test.js": SKIPPED, [CONFIG]: interval });

  await project.stop({ session_id: "one" });
  const status = await project.gauntlet(["status"]);
  const json = await project.json(["status"]);
  const again = await project.stop({ session_id: "one", stop_hook_active: true });

  expect(status.stdout).toContain(
    "Session one: 2 attempts left\n  still failing: weakened-tests (since run 1)\n",
  );
  expect(json["sessions"]).toMatchObject([{ id: "one", openFailures: ["guard:.:weakened-tests"] }]);
  expect(again.answer.decision).toBe("block");
});

test("what is committed is looked at too, also where the base is the branch itself", async () => {
  await using project = await projectWith("  weakened-tests: block\n");
  await project.write({ "src/a.js": "1;\n" });
  await project.stop();
  await project.write({ "test/sum.test.js": SKIPPED });
  await project.commit("skip a test");

  const { answer } = await project.stop();

  expect(answer.reason).toContain("test skipped");
});

test("fewer-tests: a check that ran fewer tests than at its last pass blocks until it is answered", async () => {
  await using project = await projectWith("  fewer-tests: block\n", "node --test");
  await project.write({ "src/a.js": "1;\n" });
  const before = await project.stop();
  await project.write({ "test/sum.test.js": SKIPPED });

  const after = await project.stop();
  const again = await project.stop({ stop_hook_active: true });

  expect(before.answer.status).toBe("passed");
  expect(after.answer.reason).toContain('check "test" ran 1 of the 2 tests of its last pass');
  expect(again.answer.decision).toBe("block");
});

test("a run of some gates says nothing about guards", async () => {
  await using project = await projectWith("  weakened-tests: block\n");
  await project.write({ "test/sum.test.js": SKIPPED });

  const part = await project.gauntlet(["run", "-g", "test"]);
  const whole = await project.gauntlet(["run"]);

  expect(part.exitCode).toBe(0);
  expect(whole.exitCode).toBe(1);
  expect(whole.stdout).toContain("weakened-tests");
});

test("guards that are taken out where gates are held still look, also at a tree that passed without them", async () => {
  const held = "  weakened-tests: block\n";
  await using project = await projectWith(held);
  const hold = project.read(CONFIG).replace("stop_hook:\n", "stop_hook:\n  when_gates_change: hold\n");
  await project.write({ [CONFIG]: hold });
  await project.commit("hold");
  await project.stop();
  await project.write({ "test/sum.test.js": SKIPPED, [CONFIG]: hold.replace(`guards:\n${held}`, "") });

  const run = await project.gauntlet(["run"]);
  const { answer } = await project.stop();

  expect(run.exitCode).toBe(0);
  expect(answer).toMatchObject({ decision: "block", status: "failed" });
  expect(answer.reason).toContain("test/sum.test.js:6 high test skipped");
});

test("settings are read old against new, and a suspicion is shown but blocks nothing", async () => {
  await using project = await projectWith("  weakened-tests: block\n  suppressions: block\n");
  await project.write({
    "tsconfig.json": `{ "compilerOptions": { "strict": true${",\n// kept".repeat(9)} } }`,
  });
  await project.commit("settings");
  const answered = 'module.exports = (name) => {\n  if (name === "Ada Lovelace") return 42;\n};\n';
  await project.write({
    "src/answer.js": answered,
    "test/answer.test.js": 'require("../src/answer.js")("Ada Lovelace");\n',
  });

  const suspected = await project.stop();
  await project.write({ "tsconfig.json": project.read("tsconfig.json").replace("true", "false") });
  const laxer = await project.stop();

  expect(suspected.answer).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
  expect(suspected.answer.systemMessage).toContain(
    "src/answer.js:2 perhaps the answer to one test, written into the source",
  );
  expect(laxer.answer.reason).toContain("tsconfig.json:1 high `compilerOptions.strict` switched off");
});
