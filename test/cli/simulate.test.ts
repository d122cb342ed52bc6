import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

import { GauntletProject } from "../rig/gauntlet-project.ts";

const RED = 'test "$(cat state.txt)" = fixed';
const RECORDINGS = join(import.meta.dirname, "../fixtures/hosts");

test("shows what the agent reads and the user sees, and remembers nothing", async () => {
  await using project = await GauntletProject.withChecks({ ready: RED }, { "state.txt": "" });
  await project.write({ "state.txt": "broken" });

  const done = await project.gauntlet(["simulate", "--host", "gemini"]);

  expect(done.exitCode).toBe(0);
  expect(done.stdout).toContain('"hook_event_name":"AfterAgent"');
  expect(done.stdout).toContain("The agent continues and reads:\n  Gauntlet gates did not pass");
  expect(done.stdout).toContain("It printed nothing.");
  expect(done.stdout).toContain("The user sees nothing.");
  expect(project.has("gauntlet_logs")).toBe(false);
  expect((await project.gauntlet(["explain"])).exitCode).toBe(1);
});

test("names logs that can be read afterwards", async () => {
  await using project = await GauntletProject.withChecks({ ready: `echo seen; ${RED}` }, { "state.txt": "" });
  await project.write({ "state.txt": "broken" });

  const { stdout } = await project.gauntlet(["simulate"], { env: { TMPDIR: project.home } });

  const log = /\S+\/check_\._ready\.1\.log/.exec(stdout)?.[0] ?? "no log is named";
  expect(readFileSync(log, "utf8")).toContain("seen");
  expect(existsSync(join(dirname(log), ".state"))).toBe(false);
});

test("leaves no more than the logs that it named last", async () => {
  await using project = await GauntletProject.withChecks({ ready: RED }, { "state.txt": "" });
  await project.write({ "state.txt": "broken", "../home/tmp/other": "" });
  const env = { TMPDIR: join(project.home, "tmp") };

  await project.gauntlet(["simulate"], { env });
  await project.gauntlet(["simulate"], { env });

  expect(readdirSync(env.TMPDIR).filter((name) => name.includes("rehearsal"))).toHaveLength(1);
});

test("does not spend the budget of a real session", async () => {
  await using project = await GauntletProject.withChecks({ ready: RED }, { "state.txt": "" });
  await project.write({ "state.txt": "broken" });
  const first = await project.stop({ session_id: "simulated-session" });

  await project.gauntlet(["simulate", "--host", "claude-code", "--times", "3"]);
  const status = await project.json(["status"]);

  expect(first.answer.decision).toBe("block");
  expect(status["sessions"]).toMatchObject([{ id: "simulated-session", attempts: 1 }]);
});

test("plays stops until the agent stops: blocked, then allowed with a notice to the user", async () => {
  await using project = await GauntletProject.withChecks({ ready: RED }, { "state.txt": "" });
  await project.write({ "state.txt": "broken" });

  const done = await project.gauntlet(["simulate", "--host", "claude-code", "--times", "5"]);

  expect(done.stdout).toContain("Stop 2,");
  expect(done.stdout).not.toContain("Stop 3,");
  expect(done.stdout).toContain(
    "The agent stops.\nThe user sees:\n  Stop says: Gauntlet: the last stop was blocked",
  );
});

test("plays a recorded payload", async () => {
  await using project = await GauntletProject.withChecks({ ready: RED }, { "state.txt": "fixed" });

  const event = join(RECORDINGS, "claude-code/subagent-stop.json");
  const done = await project.gauntlet(["simulate", "--host", "claude-code", "--event", event]);

  expect(done.stdout).toContain('"hook_event_name":"SubagentStop"');
  expect(done.stdout).toContain("The answer (exit code 0):\n  {}\n");
  expect(done.stdout).toContain("The agent stops.");
});

test.each([
  [["--host", "goose"], "goose cannot be gated"],
  [["--host", "cladue-code"], 'There is no agent "cladue-code" here: did you mean `claude-code`?'],
  [["--times", "0"], "It must be a whole number, 1 or more."],
  [["--times", "x"], "It must be a whole number, 1 or more."],
  [["--host", "codex", "--event", "missing.json"], "Cannot read missing.json"],
])("refuses %j", async (args, message) => {
  await using project = await GauntletProject.withChecks({ ready: RED });

  const done = await project.gauntlet(["simulate", ...args]);

  expect(done.exitCode).toBe(1);
  expect(done.stderr).toContain(message);
});

test("plays the start of a session first: with the files as they are, or with those of a commit", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": `only_new: true\nchecks: { lint: "grep -nH BAD src/*; ! grep -q BAD src/*" }\n`,
    "src/a.txt": "BAD old\n",
    "src/b.txt": "fine\n",
  });
  await project.commit("start");
  await project.write({ "src/b.txt": "BAD new\n" });

  const now = await project.gauntlet(["simulate", "--start"]);
  const since = await project.gauntlet(["simulate", "--start", "HEAD"]);
  const wrong = await project.gauntlet(["simulate", "--start", "nowhere"]);

  expect(now.stdout).toContain("The session starts with the files as they are now.\nStop 1,");
  expect(now.stdout).toContain("2 problems were there before (the start of this session), and none is new");
  expect(now.stdout).toContain("The agent stops.");
  expect(since.stdout).toContain("The session starts with the files of HEAD.\nStop 1,");
  expect(since.stdout).toContain("src/b.txt:1 error: BAD new");
  expect(since.stdout).toContain("1 more problem was there before your change: leave it alone.");
  expect(wrong).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('git does not know the revision "nowhere"') as string,
  });
  expect(project.has("gauntlet_logs")).toBe(false);
});
