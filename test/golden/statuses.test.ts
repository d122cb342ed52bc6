import { ControlledCommand } from "../rig/controlled-command.ts";
import { lockRefused } from "../rig/state-files.ts";
import { BAD, CHECK, configured, GOOD, scenariosOf } from "./scenario.ts";

const scenario = scenariosOf("statuses");

scenario("passed, and reused until something changes", configured(CHECK, GOOD), async (play) => {
  await play.write({ "b.txt": "1\n" });
  await play.stop();
  await play.stop();
  await play.commit("what passed");
  await play.stop({ session_id: "session-2" });
});

scenario("passed, after a run by hand", configured(CHECK, GOOD), async (play) => {
  await play.write({ "b.txt": "1\n" });
  await play.commit("work");
  await play.gauntlet(["run"]);
  await play.stop();
});

scenario(
  "passed_with_warnings",
  configured("checks: { lint: { command: 'echo a.txt:1:1: error: ugly; exit 1', warn_only: true } }\n"),
  async (play) => {
    await play.write({ "a.txt": "1\n" });
    await play.stop();
    await play.stop();
  },
);

scenario("no_changes", configured(CHECK, GOOD), async (play) => {
  await play.stop();
  await play.gauntlet(["run", "--json"]);
});

scenario("no_changes, without a base branch", { ".gauntlet/config.yml": CHECK, ...GOOD }, async (play) => {
  await play.stop();
});

scenario(
  "no_applicable_gates",
  configured("checks: { test: 'true' }\nentry_points: [{ path: src, checks: [test] }]\n"),
  async (play) => {
    await play.write({ "docs/a.md": "1\n" });
    await play.stop();
    await play.gauntlet(["run", "--verbose"]);
  },
);

scenario("no_config", { "a.txt": "1\n" }, async (play) => {
  await play.write({ "a.txt": "2\n" });
  await play.stop();
  await play.gauntlet(["run"]);
  await play.gauntlet(["run", "--json"]);
  await play.gauntlet(["status", "--json"]);
});

scenario("the directory of the stop", configured(CHECK, GOOD), async (play) => {
  await play.write({ ...BAD, "src/deep/b.txt": "1\n" });
  const { root } = play.project;
  await play.stop({ cwd: `${root}/src/gone` });
  await play.stop({ cwd: undefined, session_id: "session-2" }, { cwd: "src" });
  await play.stop({ cwd: "/", session_id: "session-3" });
});

scenario("stop_hook_active after a block", configured(CHECK, GOOD), async (play) => {
  await play.write(BAD);
  await play.stop();
  await play.stop({ stop_hook_active: true });
  await play.stop({ stop_hook_active: true });
});

scenario("stop_hook_active without a block", configured(CHECK, GOOD), async (play) => {
  await play.write(BAD);
  await play.stop({ stop_hook_active: true });
  await play.stop({}, { env: { GAUNTLET_STOP_HOOK_ACTIVE: "1" } });
});

scenario("stop_hook_disabled", configured(`${CHECK}stop_hook: { enabled: false }\n`, GOOD), async (play) => {
  await play.write(BAD);
  await play.stop();
  await play.stop({ session_id: "session-2" }, { env: { GAUNTLET_STOP_HOOK_ENABLED: "true" } });
});

scenario("invalid_input", configured(CHECK, GOOD), async (play) => {
  await play.write(BAD);
  await play.gauntlet(["stop-hook"], { stdin: "no JSON\n" });
  await play.gauntlet(["stop-hook"], { stdin: "" });
  await play.stop({ hook_event_name: "PostToolUse" });
  await play.stop({ hook_event_name: "SubagentStop" });
});

scenario("unknown flags do not keep the stop hook from answering", configured(CHECK, GOOD), async (play) => {
  await play.write(BAD);
  await play.stop({}, { args: ["--host", "nobody"] });
  await play.stop({ session_id: "session-2" }, { args: ["--nonsense"] });
});

scenario("error in the configuration", configured("checks:\n  test: [1]\nstop_hok: {}\n"), async (play) => {
  await play.write({ "a.txt": "1\n" });
  await play.stop();
  await play.gauntlet(["run"]);
  await play.gauntlet(["run", "--json"]);
});

scenario(
  "error, because a gate cannot start",
  configured(
    "max_parallel: 1\nchecks:\n  lost: { command: 'true', working_directory: nowhere }\n  test: 'true'\n",
  ),
  async (play) => {
    await play.write({ "a.txt": "1\n" });
    await play.stop();
    await play.gauntlet(["run"]);
  },
);

scenario(
  "interval_not_elapsed",
  configured(`${CHECK}stop_hook: { run_interval_minutes: 10 }\n`, GOOD),
  async (play) => {
    await play.write({ "b.txt": "1\n" });
    await play.stop();
    await play.write(BAD);
    await play.stop();
    await play.stop({}, { env: { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "0" } });
    await play.stop();
  },
);

scenario("deferred", configured(CHECK, GOOD), async (play) => {
  await play.write(BAD);
  const agent = { id: "a1", type: "subagent", status: "running", description: "x", agent_type: "general" };
  const shell = { id: "b1", type: "shell", status: "running", description: "server", command: "sleep 4" };
  await play.stop({ permission_mode: "plan" });
  await play.stop({ background_tasks: [agent, shell] });
  await play.stop({ background_tasks: [agent, shell] });
});

/** The script is not part of the tree: a controlled command is another in each run. */
const CONTROLLED = { ...GOOD, ".gitignore": "gate.sh\n" };

scenario("lock_conflict", configured("checks: { slow: sh gate.sh }\n", CONTROLLED), async (play) => {
  await using command = await ControlledCommand.create();
  await play.project.write({ "gate.sh": command.command(), "b.txt": "1\n" });
  const run = play.project.gauntlet(["run"]);
  const gate = await command.started();

  await play.stop();
  await play.gauntlet(["run"]);
  await play.gauntlet(["run", "--json"]);
  await play.gauntlet(["clean"]);

  gate.exit(0);
  play.transcript.record("the run that was in progress", await run);
});

const WAIT = "checks: { slow: sh gate.sh }\nstop_hook: { when_busy: wait }\n";

scenario("when_busy: wait", configured(WAIT, CONTROLLED), async (play) => {
  await using command = await ControlledCommand.create();
  await play.project.write({ "gate.sh": command.command(), "b.txt": "1\n" });
  await play.commit("work");
  const run = play.project.gauntlet(["run"]);
  const gate = await command.started();

  const refused = lockRefused(play.project);
  const stop = play.stop();
  await refused;
  gate.exit(0);

  await stop;
  await run;
});
