import { ControlledCommand } from "../rig/controlled-command.ts";
import { kill } from "../rig/processes.ts";
import { configured, scenariosOf } from "./scenario.ts";

const scenario = scenariosOf("gates");

scenario(
  "a program that is not installed",
  configured("checks: { lint: no-such-linter --all src 2>/dev/null }\nstop_hook: { when_active: enforce }\n"),
  async (play) => {
    await play.write({ "a.txt": "1\n" });
    await play.stop();
    await play.stop({ stop_hook_active: true });
    await play.gauntlet(["run", "--json"]);
  },
);

scenario(
  "a check that runs out of time",
  configured("checks: { slow: { command: 'echo started; sleep 60', timeout: 1 } }\n"),
  async (play) => {
    await play.write({ "a.txt": "1\n" });
    await play.stop();
  },
);

scenario(
  "problems of several tools in one block",
  configured(
    "max_parallel: 1\nchecks:\n  types: cat types.log; exit 2\n  test: cat test.log; exit 1\n  quiet: exit 3\n",
    {
      "types.log":
        "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/b.ts(1,1): error TS1005: ';' expected.\nFound 2 errors in 2 files.\n",
      "test.log":
        "TAP version 13\nnot ok 1 - adds\n  ---\n  location: '/x/sum.test.js:4:1'\n  failureType: 'testCodeFailure'\n  error: '3 !== 4'\n  code: 'ERR_ASSERTION'\n  ...\n1..1\n# tests 1\n# fail 1\n",
    },
  ),
  async (play) => {
    await play.write({ "src/a.ts": "1\n" });
    await play.stop();
    await play.gauntlet(["run"]);
  },
);

scenario(
  "a failing check with much output, secrets, fix instructions and a place of its own",
  configured(
    "stop_hook: { max_reason_chars: 1500 }\nchecks:\n  test: { command: sh loud.sh, working_directory: app, fix_instructions: fix-test.md }\n",
    {
      ".gauntlet/fix-test.md": "Ask before you change the fixtures.\n",
      "app/loud.sh":
        "i=0; while [ $i -lt 3000 ]; do echo \"line $i of the log, of which nothing is a problem\"; i=$((i+1)); done\necho 'token ghp_0123456789abcdefghijklmnopqrstuvwxyzAB'\necho 'the end'\nexit 1\n",
    },
  ),
  async (play) => {
    await play.write({ "a.txt": "1\n" });
    await play.stop();
  },
);

scenario(
  "needs: what depends on a failed gate is skipped",
  configured(
    "max_parallel: 1\nchecks:\n  e2e: { command: 'true', needs: [build] }\n  build: { command: 'true', needs: [types] }\n  types: exit 1\n",
  ),
  async (play) => {
    await play.write({ "a.txt": "1\n" });
    await play.stop();
    await play.gauntlet(["run"]);
  },
);

scenario(
  "fail_fast: the gates behind do not start",
  configured(
    "checks:\n  one: { command: exit 1, parallel: false, fail_fast: true }\n  two: { command: 'true', parallel: false }\n",
  ),
  async (play) => {
    await play.write({ "a.txt": "1\n" });
    await play.gauntlet(["run", "--json"]);
  },
);

scenario(
  "fix: what a check finds is fixed at once",
  configured(
    "max_parallel: 1\nchecks:\n  format: { command: '! grep -n bad {files}', fix: 'sed -i s/bad/good/ {files}', files: ['*.txt'] }\n  test: grep -q good a.txt\n",
  ),
  async (play) => {
    await play.write({ "a.txt": "bad\n" });
    await play.stop();
    play.show("a.txt");
    await play.write({ "b.txt": "bad\n" });
    await play.gauntlet(["run", "--no-fix"]);
  },
);

scenario(
  "fix: what it cannot fix blocks",
  configured("checks:\n  format: { command: '! grep -n bad {files}', fix: exit 3, files: ['*.txt'] }\n"),
  async (play) => {
    await play.write({ "a.txt": "bad\n" });
    await play.stop();
  },
);

scenario(
  "inputs: a pass with the same inputs is reused",
  configured("checks: { unit: { command: 'true', inputs: [src] } }\n", { "src/a.ts": "1\n" }),
  async (play) => {
    await play.write({ "README.md": "1\n" });
    await play.stop();
    await play.write({ "README.md": "2\n" });
    await play.gauntlet(["run"]);
    await play.gauntlet(["run", "--no-cache"]);
    await play.write({ "src/a.ts": "2\n" });
    await play.gauntlet(["run", "--json"]);
  },
);

scenario(
  "reruns: a flaky check passes with a warning",
  configured(
    "checks: { test: { command: 'test -e ../ran || { touch ../ran; echo a.txt:1:1: error: flaky; exit 1; }', reruns: 1 } }\n",
  ),
  async (play) => {
    await play.write({ "a.txt": "1\n" });
    await play.stop();
    await play.gauntlet(["log", "--flaky"]);
    await play.gauntlet(["status", "--json"]);
  },
);

scenario(
  "files: no changed file is meant by the gate",
  configured(
    "checks: { lint: { command: 'echo {files}', files: ['*.ts'] }, test: 'true' }\nmax_parallel: 1\n",
  ),
  async (play) => {
    await play.write({ "a.txt": "1\n", "with space.md": "2\n" });
    await play.gauntlet(["run", "--verbose"]);
    await play.write({ "a b.ts": "1\n" });
    await play.gauntlet(["run", "--json"]);
  },
);

scenario(
  "a gate that changes files while it is judged",
  configured("checks: { test: echo more >> a.txt }\n", { "a.txt": "1\n" }),
  async (play) => {
    await play.write({ "a.txt": "2\n" });
    await play.stop();
  },
);

scenario(
  "the deadline of the hook ends a gate",
  configured("checks: { slow: sleep 60 }\nstop_hook: { timeout: 14 }\n"),
  async (play) => {
    await play.write({ "a.txt": "1\n" });
    await play.stop();
  },
);

/** The script is not part of the tree: a controlled command is another in each run. */
const CONTROLLED = configured("checks: { slow: sh gate.sh }\n", { ".gitignore": "gate.sh\n" });

scenario("a stop and a run that are interrupted", CONTROLLED, async (play) => {
  await using command = await ControlledCommand.create();
  await play.project.write({ "gate.sh": command.command(), "a.txt": "1\n" });
  const stdin = JSON.stringify({ session_id: "session-1", cwd: play.project.root, hook_event_name: "Stop" });

  for (const [args, signal] of [
    [["stop-hook"], "SIGTERM"],
    [["run"], "SIGINT"],
  ] as const) {
    let pid = 0;
    const asked = play.project.gauntlet(args, { stdin: `${stdin}\n`, onSpawn: (child) => (pid = child) });
    await command.started();
    kill(pid, signal);
    play.transcript.record(`${args.join(" ")}, ended with ${signal}`, await asked);
  }
});
