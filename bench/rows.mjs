import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnv, commit, git, largeRepository, repository, writeFiles } from "./fixtures.mjs";
import { peersForGates, peersForNothing, peersForOutput, peersForUnchanged } from "./peer-rows.mjs";

const DIST = join(dirname(fileURLToPath(import.meta.url)), "..", "dist", "cli");
const HOOK = [process.execPath, join(DIST, "agent-gauntlet.cjs"), "stop-hook"];
const BREPL = [process.execPath, join(DIST, "brepl.cjs"), "hook", "stop"];

/** A gate that prints a gigabyte of lines, as a runaway test does. */
const CHATTY =
  "yes 0123456789012345678901234567890123456789012345678901234567890123456789 | head -c 1073741824";

/**
 * The groups of rows: in each, every contender is measured in turns with the group's floor. A target is the most its
 * median may be, in medians of the floor.
 */
export function rowGroups(work, { peers, quick }) {
  const at = { work, env: cleanEnv(join(work, "home")), peers };
  mkdirSync(at.env.HOME, { recursive: true });
  const groups = [startGroup(at), gatesGroup(at), filesGroup(at, 20_000, 2.2)];
  if (!quick) groups.push(filesGroup(at, 100_000, 1.3));
  return [...groups, waitingGroup(at), outputGroup(at)];
}

function startGroup(at) {
  const bare = repository(join(at.work, "bare"), 30);
  const gated = gauntletProject(join(at.work, "unchanged"), 1);
  const clojure = repository(join(at.work, "brepl"), 30);
  writeFiles(clojure, { ".brepl/hooks.edn": '{:stop [{:type :bash :name "check" :command "true"}]}\n' });
  return {
    title: "Nothing to do, small repository",
    rounds: 30,
    floor: nodeFloor(at),
    contenders: [
      hook(at, { name: "no configuration", cwd: bare, status: "no_config", target: 1.25 }),
      hook(at, {
        name: "inside a run (environment)",
        cwd: gated,
        status: "stop_hook_active",
        target: 1.25,
        env: { GAUNTLET_STOP_HOOK_ACTIVE: "1" },
      }),
      hook(at, {
        name: "stop_hook_active",
        cwd: gated,
        status: "stop_hook_active",
        target: 1.25,
        event: { stop_hook_active: true },
      }),
      hook(at, { name: "unchanged since the last pass", cwd: gated, status: "passed", target: 2.0 }),
      {
        name: "brepl hook stop, one :bash hook",
        argv: BREPL,
        cwd: clojure,
        env: at.env,
        input: JSON.stringify({ session_id: "bench", hook_event_name: "Stop", cwd: clojure }),
        expect: "approve",
        target: 1.8,
      },
      ...peersForNothing(at),
    ],
  };
}

function gatesGroup(at) {
  const targets = { 1: 2.6, 10: 3.3, 50: 5.0 };
  return {
    title: "Checks of `true`, a file changed",
    rounds: 20,
    floor: nodeFloor(at),
    contenders: Object.entries(targets).flatMap(([count, target]) => {
      const cwd = gauntletProject(join(at.work, `checks${count}`), Number(count));
      return [
        hook(at, {
          name: count === "1" ? "1 check" : `${count} checks`,
          cwd,
          status: "passed",
          target,
          prepare: changeFile(cwd),
        }),
        bareNode(at, { cwd, count }),
        ...peersForGates(at, { count: Number(count), command: "true", maxRounds: 8 }),
      ];
    }),
  };
}

function filesGroup(at, fileCount, target) {
  const cwd = largeRepository("unchanged", fileCount, gauntletFiles(1));
  return {
    title: `Unchanged since the last pass, ${fileCount.toLocaleString("en")} files`,
    rounds: fileCount > 50_000 ? 10 : 20,
    floor: { name: "git status --porcelain", argv: ["git", "status", "--porcelain"], cwd, env: at.env },
    contenders: [
      hook(at, { name: "stop-hook", cwd, status: "passed", target }),
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
      hook(at, { name: "stop-hook", cwd, status: "passed", target: 1.5, prepare: changeFile(cwd) }),
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
    memory,
    floor: { name: "sh -c gate | cat", argv: ["sh", "-c", `${CHATTY} | cat >/dev/null`], cwd, env: at.env },
    contenders: [
      hook(at, {
        name: "stop-hook",
        cwd,
        status: "passed",
        target: 2.5,
        targetMb: 110,
        prepare: changeFile(cwd),
      }),
      ...peersForOutput(at, CHATTY),
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

function hook(at, { name, cwd, status, event = {}, env = {}, ...rest }) {
  const input = JSON.stringify({
    session_id: "bench",
    transcript_path: "/tmp/transcript.jsonl",
    cwd,
    permission_mode: "default",
    hook_event_name: "Stop",
    stop_hook_active: false,
    ...event,
  });
  return {
    name,
    argv: HOOK,
    cwd,
    env: { ...at.env, ...env },
    input,
    expect: `"status":"${status}"`,
    ...rest,
  };
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
  return { ".gauntlet/config.yml": `checks:\n${checks.join("")}` };
}

/** Every round adds a line to a tracked file, as an agent would. */
function changeFile(dir) {
  return () => appendFileSync(join(dir, "src/part0/unit0/file0.ts"), "export const more = 1;\n");
}
