import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnv, commit, git, largeRepository, repository, writeFiles } from "./fixtures.mjs";
import { appendGroup, fillLedger } from "./ledger.mjs";
import { noPeers } from "./peers.mjs";
import { peersForGates, peersForNothing, peersForOutput, peersForUnchanged } from "./peer-rows.mjs";

const DIST = join(dirname(fileURLToPath(import.meta.url)), "..", "dist");
const PLATFORM = `${process.platform}-${process.arch}`;

/** Both ways to run ours: the native program where it is built, and the one for Node. */
export const PROGRAMS = programsIn(DIST);

export const hasNative = PROGRAMS.some(({ name }) => name === "native");

export function programsIn(dist) {
  const native = [PLATFORM, `${PLATFORM}-musl`]
    .map((name) => join(dist, "native", name))
    .find((directory) => existsSync(join(directory, "agent-gauntlet")));
  return [
    ...(native === undefined ? [] : [{ name: "native", start: (command) => [join(native, command)] }]),
    { name: "Node", start: (command) => [process.execPath, join(dist, "cli", `${command}.cjs`)] },
  ];
}

/** A gate that prints a gigabyte of lines, as a runaway test does. */
const CHATTY =
  "yes 0123456789012345678901234567890123456789012345678901234567890123456789 | head -c 1073741824";

/**
 * The groups of rows: in each, every contender is measured in turns with the group's floor. A target, one for each program, is
 * the most its median may be, in medians of the floor.
 */
export function rowGroups(work, { peers, quick }) {
  const at = placeFor(work, { peers, programs: PROGRAMS });
  const groups = [
    startGroup(at),
    gatesGroup(at),
    blockGroup(at),
    aheadGroup(at),
    filesGroup(at, 20_000, { targets: { native: 1.4, Node: 2.4 } }),
  ];
  if (!quick) groups.push(filesGroup(at, 100_000, { targets: { native: 1.05, Node: 1.3 } }));
  return [...groups, waitingGroup(at), outputGroup(at), verdictGroup(at), ledgerGroup(at)];
}

/** The groups that say whether a change made stops slower, of programs built elsewhere; `large` adds 100,000 files. */
export function comparedGroups(work, { programs, largeName, large }) {
  const at = placeFor(work, { peers: noPeers(), programs });
  const files = (fileCount) => filesGroup(at, fileCount, { name: largeName, targets: {} });
  return [
    startGroup(at),
    gatesGroup(at),
    blockGroup(at),
    files(20_000),
    ...(large ? [files(100_000)] : []),
    outputGroup(at),
  ];
}

function placeFor(work, { peers, programs }) {
  const at = { work, env: cleanEnv(join(work, "home")), peers, programs };
  for (const { name } of programs) mkdirSync(homeOf(at, name), { recursive: true });
  return at;
}

/** A home for each program, so that neither reads the other's caches. */
function homeOf({ env }, program) {
  return join(env.HOME, program);
}

function startGroup(at) {
  const first = { native: 0.4, Node: 1.5 };
  const bare = repository(join(at.work, "bare"), 30);
  const gated = gauntletProject(join(at.work, "unchanged"), 1);
  const clojure = repository(join(at.work, "brepl"), 30);
  writeFiles(clojure, { ".brepl/hooks.edn": '{:stop [{:type :bash :name "check" :command "true"}]}\n' });
  return {
    title: "Nothing to do, small repository",
    rounds: 30,
    floor: nodeFloor(at),
    contenders: [
      ...hooks(at, { name: "no configuration", cwd: bare, status: "no_config", targets: first }),
      ...hooks(at, {
        name: "inside a run (environment)",
        cwd: gated,
        status: "stop_hook_active",
        targets: first,
        env: { GAUNTLET_STOP_HOOK_ACTIVE: "1" },
      }),
      ...hooks(at, {
        name: "stop_hook_active",
        cwd: gated,
        status: "stop_hook_active",
        targets: first,
        event: { stop_hook_active: true },
      }),
      ...hooks(at, {
        name: "unchanged since the last pass",
        cwd: gated,
        status: "passed",
        targets: { native: 0.75, Node: 2.4 },
      }),
      ...sessionStarts(at, { cwd: gated, targets: { native: 0.75, Node: 2.4 } }),
      ...statuslines(at, gated),
      ...withBoth(at, ["agent-gauntlet", "edit-hook"], {
        name: "edit-hook, a tool that edits nothing",
        cwd: gated,
        input: JSON.stringify({ ...EDIT, session_id: "bench", cwd: gated, tool_calls: [] }),
        targets: { native: 0.45, Node: 1.6 },
      }),
      ...withBoth(at, ["brepl", "hook", "stop"], {
        name: "brepl hook stop, one :bash hook",
        cwd: clojure,
        input: JSON.stringify({ session_id: "bench", hook_event_name: "Stop", cwd: clojure }),
        expect: "approve",
        targets: { native: 0.7, Node: 2.0 },
      }),
      ...peersForNothing(at),
    ],
  };
}

function statuslines(at, cwd) {
  return withBoth(at, ["agent-gauntlet", "statusline"], {
    name: "statusline",
    cwd,
    input: JSON.stringify({ session_id: "bench", cwd }),
    expect: "gates",
    targets: { native: 0.6, Node: 2.0 },
  });
}

function gatesGroup(at) {
  const targetsOf = {
    1: { native: 1.2, Node: 3.2 },
    10: { native: 1.5, Node: 3.8 },
    50: { native: 3.2, Node: 6.5 },
  };
  return {
    title: "Checks of `true`, a file changed",
    rounds: 20,
    floor: nodeFloor(at),
    contenders: Object.entries(targetsOf).flatMap(([count, targets]) => {
      const cwd = gauntletProject(join(at.work, `checks${count}`), Number(count));
      return [
        ...hooks(at, {
          name: count === "1" ? "1 check" : `${count} checks`,
          cwd,
          status: "passed",
          targets,
          prepare: changeFile(cwd),
        }),
        bareNode(at, { cwd, count }),
        ...peersForGates(at, { count: Number(count), command: "true", maxRounds: 8 }),
      ];
    }),
  };
}

/** A block: the gate's log is read and the reason written. */
function blockGroup(at) {
  const cwd = gauntletProject(join(at.work, "failing"), 1, "echo 'src/a.ts:1:2: error: no'; exit 1");
  const change = changeFile(cwd);
  const prepare = () => {
    change();
    forgetSessions(at);
  };
  return {
    title: "A check that fails, first stop of a session",
    rounds: 20,
    floor: nodeFloor(at),
    contenders: hooks(at, { name: "1 failing check", cwd, status: "failed", targets: {}, prepare }),
  };
}

const EDIT = {
  hook_event_name: "PostToolBatch",
  tool_calls: [{ tool_name: "Write", tool_input: { file_path: "src/part0/unit0/file0.ts" } }],
};

/** The targets are those of an unchanged stop and 15 %. */
function aheadGroup(at) {
  const settings = "run_ahead: { after: 0.1 }\nmax_retries: 100000\nstop_hook: { when_active: enforce }\n";
  const row = (name, status, command) => {
    const cwd = gauntletProject(join(at.work, `ahead-${status}`), 1, command);
    const config = join(cwd, ".gauntlet/config.yml");
    writeFiles(cwd, { ".gauntlet/config.yml": `${settings}${readFileSync(config, "utf8")}` });
    const targets = { native: 0.86, Node: 2.76 };
    return hooks(at, { name, cwd, status, targets }).map((one) => ({ ...one, prepare: runAheadOnce(one) }));
  };
  return {
    title: "A stop after a run ahead of its files, with a check of 5 s",
    rounds: 20,
    floor: nodeFloor(at),
    contenders: [
      ...row("passed ahead", "passed", "sleep 5"),
      ...row("failed ahead", "failed", "sleep 5; echo 'src/a.ts:1:2: error: no'; exit 1"),
    ],
  };
}

function runAheadOnce({ argv, cwd, env, input }) {
  const [file, ...args] = [...argv.slice(0, -1), "edit-hook"];
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    changeFile(cwd)();
    const event = { ...JSON.parse(input), ...EDIT };
    spawnSync(file, args, { cwd, env, input: JSON.stringify(event) });
    spawnSync("sleep", ["8"]);
  };
}

function verdictGroup(at) {
  const cwd = gauntletProject(join(at.work, "verdict"), 1);
  const stops = hooks(at, { name: "", cwd, status: "passed", targets: {}, prepare: changeFile(cwd) });
  return appendGroup(stops.at(-1), at);
}

function filesGroup(at, fileCount, { name = "unchanged", targets }) {
  const cwd = largeRepository(name, fileCount, gauntletFiles(1));
  const files = `${fileCount.toLocaleString("en")} files`;
  return {
    title: `Unchanged since the last pass, ${files}`,
    rounds: fileCount > 50_000 ? 10 : 20,
    compareRounds: fileCount > 50_000 ? 10 : undefined,
    floor: { name: "git status --porcelain", argv: ["git", "status", "--porcelain"], cwd, env: at.env },
    contenders: [
      ...hooks(at, { name: `unchanged, ${files}`, cwd, status: "passed", targets }),
      ...sessionStarts(at, { name: `session-start, ${files}`, cwd, targets }),
      ...peersForUnchanged(at, fileCount),
    ],
  };
}

function waitingGroup(at) {
  const cwd = gauntletProject(join(at.work, "waiting"), 8, "sleep 0.25");
  return {
    title: "8 checks of `sleep 0.25`",
    rounds: 8,
    floor: { name: "250 ms", constantMs: 250 },
    contenders: [
      ...hooks(at, {
        name: "stop-hook",
        cwd,
        status: "passed",
        targets: { native: 1.15, Node: 1.5 },
        prepare: changeFile(cwd),
      }),
      ...peersForGates(at, { count: 8, command: "sleep 0.25", maxRounds: 8 }),
    ],
  };
}

function outputGroup(at) {
  const cwd = gauntletProject(join(at.work, "output"), 1, CHATTY);
  const memory = true;
  return {
    title: "A check that prints 1 GB",
    rounds: 8,
    compareRounds: 10,
    memory,
    floor: { name: "sh -c gate | cat", argv: ["sh", "-c", `${CHATTY} | cat >/dev/null`], cwd, env: at.env },
    contenders: [
      ...hooks(at, {
        name: "1 GB of output",
        cwd,
        status: "passed",
        targets: { native: 1.6, Node: 2.5 },
        targetsMb: { native: 95, Node: 110 },
        prepare: changeFile(cwd),
      }),
      ...peersForOutput(at, CHATTY),
    ],
  };
}

function ledgerGroup(at) {
  const cwd = gauntletProject(join(at.work, "ledger"), 1);
  const homes = { ...at, env: { ...at.env, HOME: join(at.env.HOME, "ledger") } };
  const first = hooks(homes, { name: "first stop", cwd, status: "passed", targets: {} });
  const isFilled = new Set();
  const fill = (program) => () => {
    const home = homeOf(homes, program);
    if (isFilled.has(home)) return;
    isFilled.add(home);
    mkdirSync(home, { recursive: true });
    fillLedger(
      first.find(({ env }) => env.HOME === home),
      home,
    );
  };
  const command = (args, expect, targets) =>
    withBoth(homes, ["agent-gauntlet", ...args], { name: args.join(" "), cwd, expect, targets }).map(
      (one) => ({
        ...one,
        prepare: fill(one.name.split(", ").at(-1)),
      }),
    );
  const both = { native: 1, Node: 1 };
  return {
    title: "A ledger of 100,000 lines",
    rounds: 10,
    floor: { name: "300 ms", constantMs: 300 },
    contenders: [
      ...command(["log"], "claude-code", both),
      ...command(["log", "--session", "nobody"], "No verdict is recorded.", both),
      ...command(["log", "--check"], "as it was written: 100000 lines", {}),
      ...command(["status"], "Run 99999: Failed", {}),
    ],
  };
}

function nodeFloor(at) {
  return { name: "node -e 0", argv: [process.execPath, "-e", "0"], cwd: at.work, env: at.env };
}

/** The least a program in Node can do: it starts the commands, reads what they print, and waits for them. */
function bareNode({ env }, { cwd, count }) {
  const script = `const { spawn } = require("node:child_process");
    for (let left = ${count}; left > 0; left--) {
      const child = spawn("sh", ["-c", "true"], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
      child.stdout.resume();
      child.stderr.resume();
    }`;
  return {
    name: `Node, only starting them, ${count}`,
    argv: [process.execPath, "-e", script],
    cwd,
    env,
    isPeer: true,
  };
}

/** Hosts send what the agent said last, often some kilobytes. */
const LAST_MESSAGE = 'I changed `src/a.ts` and ran the "tests".\n'.repeat(50);

/** A session for each project: one that began in another would be told so. */
function hooks(at, { cwd, status, event = {}, ...rest }) {
  const input = JSON.stringify({
    session_id: `bench-${basename(cwd)}`,
    transcript_path: "/tmp/transcript.jsonl",
    cwd,
    permission_mode: "default",
    hook_event_name: "Stop",
    stop_hook_active: false,
    last_assistant_message: LAST_MESSAGE,
    ...event,
  });
  return withBoth(at, ["agent-gauntlet", "stop-hook"], {
    cwd,
    input,
    expect: `"status":"${status}"`,
    ...rest,
  });
}

/** The start of a session that is new each time; it may cost no more than an unchanged stop. */
function sessionStarts(at, { name = "session-start", cwd, targets }) {
  const id = "bench-start";
  return withBoth(at, ["agent-gauntlet", "session-start"], {
    name,
    cwd,
    input: JSON.stringify({ session_id: id, cwd, hook_event_name: "SessionStart", source: "startup" }),
    prepare: () => forgetSessions(at, `session-${id}.json`), // those of the other rows go on
    targets,
  });
}

function forgetSessions(at, file = "") {
  for (const { name } of at.programs)
    rmSync(join(homeOf(at, name), ".local/state/agent-gauntlet/sessions", file), {
      recursive: true,
      force: true,
    });
}

function withBoth(at, [command, ...args], { name, env = {}, targets, targetsMb = {}, ...rest }) {
  return at.programs.map((program) => ({
    ...rest,
    name: `${name}, ${program.name}`,
    program: program.name,
    argv: [...program.start(command), ...args],
    env: { ...at.env, HOME: homeOf(at, program.name), ...env },
    target: targets[program.name],
    targetMb: targetsMb[program.name],
  }));
}

function gauntletProject(dir, count, command = "true") {
  repository(dir, 30);
  writeFiles(dir, gauntletFiles(count, command));
  commit(dir, "Add gates");
  git(dir, "update-ref", "refs/remotes/origin/main", "HEAD^");
  return dir;
}

function gauntletFiles(count, command = "true") {
  const checks = Array.from({ length: count }, (_, index) => `  check${index}: ${JSON.stringify(command)}\n`);
  // The gates alone call for no gate; the branch has changed something, too.
  return {
    ".gauntlet/config.yml": `checks:\n${checks.join("")}`,
    "src/changed.ts": "export const changed = 1;\n",
  };
}

/** Every round adds a line to a tracked file, as an agent would. */
function changeFile(dir) {
  return () => appendFileSync(join(dir, "src/part0/unit0/file0.ts"), "export const more = 1;\n");
}
