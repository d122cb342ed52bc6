import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Play } from "./play.ts";
import { BAD, CHECK, configured, GOOD, scenariosOf } from "./scenario.ts";

const scenario = scenariosOf("tampering");
const ENFORCED = configured(`${CHECK}stop_hook: { when_active: enforce }\n`, GOOD);
const START = { session_id: "session-1", hook_event_name: "SessionStart", source: "startup" };

scenario("clean, run by an agent", ENFORCED, async (play) => {
  await play.write(BAD);
  await play.stop();
  await play.gauntlet(["clean"]);
  await play.stop({ stop_hook_active: true });
});

scenario("the log directory is removed after a block", ENFORCED, async (play) => {
  await play.write(BAD);
  await play.stop();
  await play.remove("gauntlet_logs");
  await play.stop({ stop_hook_active: true });
});

scenario("the log directory is a file", ENFORCED, async (play) => {
  await play.write({ ...BAD, gauntlet_logs: "in the way\n" });
  await play.stop();
});

scenario("a gate is removed while it fails, and git told to overlook files", ENFORCED, async (play) => {
  await play.write(BAD);
  await play.hook(["session-start"], START);
  await play.stop();
  await play.write({ ...configured("checks: { other: 'true' }\n"), ".git/info/exclude": "*.secret\n" });
  await play.stop({ stop_hook_active: true });
});

scenario(
  "the hook is removed from the agent's settings",
  { ...ENFORCED, ".claude/settings.json": settings("agent-gauntlet stop-hook") },
  async (play) => {
    await play.hook(["session-start"], START);
    await play.write({ ...BAD, ".claude/settings.json": "{}\n" });
    await play.stop();
    await play.gauntlet(["status", "--json"]);
  },
);

function settings(command: string): string {
  return JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
}

scenario("a stop outside of the project, and in another one", ENFORCED, async (play) => {
  await play.write({ ...BAD, "../other/.gauntlet/config.yml": "checks: { easy: 'true' }\n" });
  await play.hook(["session-start"], START);
  await play.stop({ cwd: "/" });
  await play.stop({ cwd: join(play.project.root, "../other") });
});

scenario("a ledger that somebody edited", ENFORCED, async (play) => {
  await play.write(BAD);
  await play.stop();
  await play.stop({ stop_hook_active: true });
  await play.gauntlet(["log", "--check"]);
  play.transcript.say("the first verdict becomes a pass");
  editLedger(play, (text) => text.replace('"status":"failed"', '"status":"passed"'));
  await play.gauntlet(["log", "--check", "--json"]);
  await play.gauntlet(["verify"]);
});

function editLedger(play: Play, edit: (text: string) => string): void {
  const projects = join(play.project.home, ".local/state/agent-gauntlet/projects");
  const file = join(projects, readdirSync(projects)[0] ?? "", "ledger.jsonl");
  writeFileSync(file, edit(readFileSync(file, "utf8")));
}

const NOTICES = `only_new: true
max_parallel: 1
max_retrys: 2
guards: { suppressions: tell }
checks:
  lint: "echo 'a.txt:1:1: error: ugly'; exit 1"
  test: 'true'
`;

/** More than the three that are shown: which of them are, in which order, and what is said of the rest. */
scenario("many notices at once", configured(NOTICES, GOOD), async (play) => {
  await play.project.at(play.project.home).write({ ".config/agent-gauntlet/config.yml": "stop_hok: {}\n" });
  await play.hook(["session-start"], START);
  await play.user("", "skip", "--reason", "flaky today", "--gate", "test", "--for", "30m");
  await play.gauntlet(["clean"]);
  await play.write({
    "src/a.py": "x = 1  # type: ignore\n",
    ".git/info/exclude": "*.secret\n",
    ...configured(`${NOTICES}  more: 'true'\n`),
  });
  await play.stop();
  await play.write({ "b.txt": "1\n" });
  await play.stop();
  await play.write({ "b.txt": "2\n" });
  await play.stop();
  await play.gauntlet(["explain"]);
});
