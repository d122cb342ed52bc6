import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { outputSchema } from "../schema/json-schema.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const RED = 'test "$(cat state.txt)" = fixed';

async function explained(project: GauntletProject): Promise<string> {
  return (await project.gauntlet(["explain", "--last", "--verbose"])).stdout;
}

test("tells why a stop was blocked: early exits, changes, plan, outcomes, budget, answer", async () => {
  await using project = await GauntletProject.withChecks({ ready: RED }, { "state.txt": "" });
  await project.write({ "state.txt": "broken" });
  await project.stop({ last_assistant_message: "my private words" });

  const text = await explained(project);

  expect(text).toContain("Blocked (failed)");
  expect(text).toContain("✓ the stop hook is enabled");
  expect(text).toContain("\n  state.txt\n");
  expect(text).toMatch(/Gates planned\n {2}check:\.:ready: /);
  expect(text).toContain("check:.:ready: failed: exit code 1");
  expect(text).toContain("Budget: 2 more blocks before we give up");
  expect(text).toContain('What the host got (exit code 0)\n  {"decision":"block"');
  expect(text).not.toContain("my private words");
});

test("says first what failed and on which attempt, then what the agent was told, then how to get on", async () => {
  const check = "cat state.txt; grep -q fixed state.txt";
  await using project = await GauntletProject.withChecks({ lint: check }, { "state.txt": "fixed" });
  await project.write({ "state.txt": "src/a.ts:3:5: error: wrong here\n" });
  await project.stop({ session_id: "one" });

  const { stdout } = await project.gauntlet(["explain"]);

  expect(stdout).toMatch(
    /^Blocked \(failed\): [^\n]*lint failed: exit code 1\. Attempt 1 of 3\.\nclaude-code, session one, just now\n/,
  );
  expect(stdout).toContain("\n✗ lint  src/a.ts:3  wrong here\n");
  expect(stdout).toMatch(/\nWhat the agent was told\n {2}Gauntlet gates did not pass/);
  expect(stdout).toContain("`agent-gauntlet run --failed`");
  expect(stdout).not.toContain('{"decision"');
  expect(stdout).not.toContain("Before anything ran");
});

test("names the early exit that let a stop go", async () => {
  await using project = await GauntletProject.withChecks({ ready: RED }, { "state.txt": "fixed" });

  await project.stop();
  const unchanged = await explained(project);
  await project.stop({ permission_mode: "plan" });
  const planning = await explained(project);
  await project.stop({ stop_hook_active: true });
  const active = await explained(project);

  expect(unchanged).toContain("■ Nothing to check — no changes compared to the last commit");
  expect(planning).toContain("■ Gauntlet deferred — the agent is in plan mode");
  expect(planning).not.toContain("no other run is in progress");
  expect(active).toContain("■ Stop hook cycle detected");
});

test("says that a pass was taken over", async () => {
  await using project = await GauntletProject.withChecks({ ready: RED }, { "state.txt": "" });
  await project.write({ "state.txt": "fixed" });
  await project.stop();
  await project.stop();

  expect(await explained(project)).toContain("■ Gauntlet passed — nothing changed since run 1 passed at");
});

test("is about this project, or the last stop anywhere if asked", async () => {
  await using here = await GauntletProject.withChecks({ ready: RED });
  await using elsewhere = await GauntletProject.withChecks({ ready: RED });
  await elsewhere.stop({}, { env: { HOME: here.home } });

  expect((await here.gauntlet(["explain"])).exitCode).toBe(1);
  expect((await here.gauntlet(["explain", "--anywhere"])).stdout).toContain(elsewhere.root);
});

test.each([
  ["99", "Only 1 stop in this project is recorded: `--last 1` is the oldest."],
  ["0", "It must be a whole number, 1 or more."],
  ["x", "It must be a whole number, 1 or more."],
])("answers --last %s in words", async (last, message) => {
  await using project = await GauntletProject.withChecks({ ready: RED });
  await project.stop();

  const done = await project.gauntlet(["explain", "--last", last]);

  expect(done).toMatchObject({ exitCode: 1, stdout: "" });
  expect(done.stderr).toContain(message);
});

test("explains an earlier stop by its line in the ledger, also when sessions and logs are gone", async () => {
  await using project = await GauntletProject.withChecks({ ready: RED }, { "state.txt": "" });
  await project.write({ "state.txt": "broken" });
  await project.stop({ session_id: "one" });
  await project.stop({ session_id: "one", permission_mode: "plan" });
  const tree = await project.json(["log", "--session", "one"]);

  const { stdout: earlier } = await project.gauntlet(["explain", "--last", "2", "-v"]);
  rmSync(join(project.home, ".local/state/agent-gauntlet/sessions"), { recursive: true });
  rmSync(join(project.root, "gauntlet_logs"), { recursive: true });
  const { stdout: last } = await project.gauntlet(["explain", "--session", "one"]);

  expect(earlier).toContain("Blocked (failed)");
  expect(earlier).toContain("✓ the stop hook is enabled");
  expect(earlier).toMatch(/Outcomes of run 1\n {2}check:\.:ready: failed \(\d+ ms\)/);
  expect(earlier).toContain("Budget: 2 more blocks before we give up");
  expect(earlier).toContain(`files: git tree ${String(JSON.stringify(tree).match(/"tree":"(\w+)"/)?.[1])}`);
  expect(earlier).toContain("Files, plan and answer are kept only of the last stop of a session.");
  expect(last).toContain("Allowed (deferred)");
  expect(outputSchema().parse(await project.json(["explain", "--last", "2"]))).toMatchObject({
    event: { host: "claude-code", sessionId: "one", cwd: null },
    verdict: { decision: "block", status: "failed" },
    answer: null,
    recorded: { run: 1, status: "failed", outcomes: [{ id: "check:.:ready", outcome: "failed" }] },
  });
});

test("speaks JSON", async () => {
  await using project = await GauntletProject.withChecks({ ready: RED });
  await project.stop();

  expect(outputSchema().parse(await project.json(["explain"]))).toMatchObject({
    command: "explain",
    event: { host: "claude-code", sessionId: "session-1" },
    verdict: { decision: "allow", status: "no_changes" },
    recorded: { decision: "allow", status: "no_changes", session: "session-1" },
  });
});
