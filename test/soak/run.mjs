// Plays random work in real projects against the built program and compares every answer with the truth: what the gate itself says
// about the files. Not part of `npm test`. Exits with 1 at the first lie, orphan, lost byte or missing answer.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { seconds: { type: "string" }, seed: { type: "string" }, ahead: { type: "boolean" } },
});
const SECONDS = Number(values.seconds ?? 600);
const seed = Number(values.seed ?? randomBytes(4).readUInt32BE());
const random = generator(seed);
const ROOT = realpathSync(mkdtempSync(join(tmpdir(), "gauntlet-soak-")));
const MARK = `SOAK_MARK=${ROOT}`;
const CLI = resolve(import.meta.dirname, "../../dist/cli/agent-gauntlet.cjs");
const PROGRAM = process.env.AGENT_GAUNTLET_PROGRAM_FILE
  ? [process.env.AGENT_GAUNTLET_PROGRAM_FILE]
  : [process.execPath, CLI];
const GREEN = new Set(["passed", "passed_with_warnings", "no_changes", "no_applicable_gates"]);
const counts = {
  stops: 0,
  reused: 0,
  environments: 0,
  unseen: 0,
  ahead: 0,
  red: 0,
  kills: 0,
  crowds: 0,
  payloads: 0,
  orphans: 0,
  lies: 0,
};
const history = [];

/** The gate: no file of the work tree says BAD, or ends a line with a carriage return, whatever git thinks of it. */
const GATE = `test -n "$SOAK_SKIP" || ! grep -rqsE "BAD|$(printf '\\r')" --exclude-dir=.git --exclude-dir=gauntlet_logs --exclude-dir=.gauntlet --exclude-dir=tools .`;
/** The same in a script of the project, which may be weakened. */
const SCRIPT = "tools/words.sh";

/** A filter as git-lfs is one: it leaves a file in git's directory for everything it is shown. */
const KEEPING = 'd="$(git rev-parse --git-dir)/kept"; mkdir -p "$d"; touch "$d/$$"; cat';

const env = {
  PATH: process.env.PATH,
  HOME: join(ROOT, "home"),
  LANG: "C.UTF-8",
  TMPDIR: join(ROOT, "tmp"),
  GIT_CONFIG_NOSYSTEM: "1",
  SOAK_MARK: ROOT,
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "Soak"],
      [`GIT_${who}_EMAIL`, "soak@example.com"],
    ]),
  ),
};

async function soak() {
  const end = Date.now() + SECONDS * 1000;
  for (const dir of [env.HOME, env.TMPDIR]) mkdirSync(dir, { recursive: true });
  process.stdout.write(`soak: ${SECONDS} s, seed ${seed}\n`);
  for (let number = 0; Date.now() < end; number++) {
    const project = makeProject(number);
    for (let step = 0; step < 25 && Date.now() < end; step++) await play(project);
    rmSync(project.dir, { recursive: true, force: true });
  }
}

/** Everything is committed on `main`, which is the base; a session never ends in between. */
function makeProject(number) {
  const dir = join(ROOT, `project-${number}`);
  mkdirSync(join(dir, ".gauntlet"), { recursive: true });
  const inputs = chance(0.3) ? `, inputs: ["**"]` : "";
  const slow = chance(0.3) ? "sleep 0.2; " : "";
  const gate = chance(0.3) ? `sh ${SCRIPT}` : GATE;
  const isAhead = values.ahead || chance(0.3);
  const ahead = isAhead ? "run_ahead: { after: 0.05, max_per_minute: 60 }\n" : "";
  const config = `${ahead}base_branch: main\nmax_retries: 1000\nstop_hook: { when_active: enforce }\nchecks:\n  words: { command: ${JSON.stringify(slow + gate)}${inputs} }\n`;
  put(dir, SCRIPT, `${GATE}\n`);
  writeFileSync(join(dir, ".gauntlet/config.yml"), config);
  for (const name of ["a.txt", "b.txt", "dir/c.txt"]) put(dir, name, "fine\n");
  git(dir, "init", "--quiet", "--initial-branch=main");
  if (chance(0.3)) {
    writeFileSync(join(dir, ".gitattributes"), "*.txt filter=keeping\n");
    git(dir, "config", "filter.keeping.clean", KEEPING);
  }
  git(dir, "add", "--all");
  git(dir, "commit", "--quiet", "-m", "start");
  git(dir, "checkout", "--quiet", "-b", "work");
  return { dir, gate, session: `session-${number}`, hasPassed: false, isAhead };
}

async function play(project) {
  const { session } = project;
  for (let edits = 1 + pick(3); edits > 0; edits--) edit(project.dir);
  if (project.isAhead) await workAhead(project);
  const before = contentOf(project.dir);
  const what = random();
  if (chance(0.08)) skipInAnotherEnvironment(project);
  if (what < 0.12) await killOne(project);
  else if (what < 0.2) await crowd(project);
  else if (what < 0.26) await fuzz(project);
  const answer = await stop(project);
  compare(project, answer);
  project.hasPassed ||= answer.status === "passed";
  const changed = differing(before, contentOf(project.dir));
  if (changed.length > 0) throw new Error(`bytes of the project changed: ${changed.join(", ")}`);
  if (project.isAhead) await endSession({ ...project, session });
  const left = orphans();
  counts.orphans += left.length;
  if (left.length > 0) throw new Error(`left running: ${left.join(", ")}`);
  const litter = readdirSync(env.TMPDIR);
  if (litter.length > 0) throw new Error(`left in the temporary directory: ${litter.join(", ")}`);
}

const EDITS = [
  ["write", (dir) => put(dir, file(), chance(0.3) ? "BAD\n" : `fine ${pick(3)}\n`)],
  ["same size and time", (dir) => sameTime(dir, file(), chance(0.5) ? "BAD!\n" : "fine\n")],
  ["remove", (dir) => rmSync(join(dir, file()), { force: true })],
  [
    "rename",
    (dir) => existsSync(join(dir, "b.txt")) && renameSync(join(dir, "b.txt"), join(dir, `${pick(9)}.txt`)),
  ],
  ["strange name", (dir) => put(dir, `n${pick(3)} "é\n.txt`, chance(0.3) ? "BAD\n" : "fine\n")],
  [
    "mode",
    (dir) => existsSync(join(dir, "a.txt")) && chmodSync(join(dir, "a.txt"), chance(0.5) ? 0o755 : 0o644),
  ],
  [
    "commit",
    (dir) => void (git(dir, "add", "--all"), git(dir, "commit", "--quiet", "--allow-empty", "-m", "work")),
  ],
  ["stage", (dir) => git(dir, "add", "--all")],
  ["stash", (dir) => git(dir, "stash", "--quiet", "--include-untracked")],
  ["pop", (dir) => git(dir, "stash", "pop", "--quiet")],
  ["branch", (dir) => git(dir, "checkout", "--quiet", "-B", `branch-${pick(2)}`)],
  [
    "hide",
    (dir) => git(dir, "update-index", chance(0.5) ? "--assume-unchanged" : "--skip-worktree", "a.txt"),
  ],
  ["show", (dir) => git(dir, "update-index", "--no-assume-unchanged", "--no-skip-worktree", "a.txt")],
  ["attributes", (dir) => put(dir, ".gitattributes", `*.txt ${ATTRIBUTES[pick(ATTRIBUTES.length)]}\n`)],
  [
    "line endings",
    (dir) => ifThere(dir, file(), (text) => text.replaceAll(/\r?\n/g, chance(0.5) ? "\r\n" : "\n")),
  ],
  ["ignore", (dir) => put(dir, ".gitignore", `${["new.txt", "dir/", "n[0-9]*", "*.log", ""][pick(5)]}\n`)],
  ["hidden directory", (dir) => put(dir, "hidden/.gitignore", "*\n")],
  ["weaken the script", (dir) => put(dir, SCRIPT, "exit 0\n")],
  ["restore the script", (dir) => put(dir, SCRIPT, `${GATE}\n`)],
  ["config", (dir) => git(dir, "config", ["core.fileMode", "core.trustctime"][pick(2)], String(chance(0.5)))],
];

const ATTRIBUTES = [
  "text=auto",
  "text eol=crlf",
  "text eol=lf",
  "ident",
  "-text",
  "binary",
  "-diff",
  "linguist-generated",
];

function edit(dir) {
  const [name, act] = EDITS[pick(EDITS.length)];
  history.push(name);
  act(dir);
}

function countReuse(message) {
  if (message.includes("nothing changed since")) counts.reused++;
  if (message.includes("ahead of this stop")) counts.ahead++;
}

/** Green is only true when the gate itself is green, or when the files are those of the base. */
function compare(project, { status, message }) {
  const { dir, gate } = project;
  counts.stops++;
  countReuse(message);
  const isGreen = spawnSync("sh", ["-c", gate], { cwd: dir, env }).status === 0;
  if (!isGreen && isUnseen(project)) return void counts.unseen++;
  if (!isGreen) counts.red++;
  history.push(`stop: ${status}, in truth ${isGreen ? "green" : "red"}`);
  if (status === "retry_limit_exceeded" && !isGreen) return void (project.session += "-next"); // as often as the host takes it
  const isLie = (GREEN.has(status) && !isGreen) || (status === "failed" && isGreen);
  if (!isLie && (GREEN.has(status) || status === "failed")) return;
  counts.lies++;
  throw new Error(`the answer is ${status}, but in truth it is ${isGreen ? "green" : "red"} (${message})`);
}

/**
 * Only what git does not see fails the gate: ignored files, or, as long as nothing has passed, what git takes back (docs/trust.md).
 * Whether the gate has run is then a matter of what else has changed.
 */
function isUnseen({ dir, hasPassed }) {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const seen = spawnSync("git", args, { cwd: dir, env, encoding: "utf8" }).stdout.split("\0");
  const files = seen.filter((name) => name.endsWith(".txt") && existsSync(join(dir, name)));
  const texts = files.map((name) => readFileSync(join(dir, name), "utf8"));
  return !texts.some((text) => text.includes("BAD") || (hasPassed && text.includes("\r")));
}

async function stop({ dir, session }, more = {}) {
  const payload = {
    session_id: session,
    cwd: dir,
    hook_event_name: "Stop",
    stop_hook_active: false,
    ...more,
  };
  return (await hook(dir, JSON.stringify(payload))).answer;
}

/** Kills a stop at a random instant; what it left is for the next one to clear away. */
async function killOne({ dir, session }) {
  const payload = JSON.stringify({ session_id: session, cwd: dir, hook_event_name: "Stop" });
  const signal = ["SIGKILL", "SIGTERM", "SIGINT", "SIGQUIT"][pick(4)];
  counts.kills++;
  history.push(`kill ${signal}`);
  await hook(dir, payload, { signal, afterMs: pick(300) });
}

/** The agent's edit starts a run ahead, which meets further edits, a kill, or the stop at a random instant. */
async function workAhead(project) {
  await tool(project);
  await pause(pick(500));
  if (chance(0.3)) edit(project.dir);
  if (chance(0.2)) {
    history.push("kill the background");
    for (const pid of backgrounds(project)) process.kill(pid, "SIGKILL");
    await tool(project);
  }
  await pause(pick(500));
}

async function tool({ dir, session }) {
  const tool_calls = [{ tool_name: "Write", tool_input: { file_path: join(dir, "a.txt") } }];
  const event = { session_id: session, cwd: dir, hook_event_name: "PostToolBatch", tool_calls };
  const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), "edit-hook"], {
    cwd: dir,
    env,
    stdio: ["pipe", 1, 2],
  });
  child.stdin.end(JSON.stringify(event));
  await once(child, "close");
}

/** Nothing runs ahead any more a moment after it. */
async function endSession(project) {
  const { dir, session } = project;
  await hook(dir, JSON.stringify({ session_id: session, cwd: dir, hook_event_name: "SessionEnd" }));
  const end = Date.now() + 10_000;
  while (backgrounds(project).length > 0 && Date.now() < end) await pause(20);
}

function backgrounds({ dir }) {
  return orphans().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8")
        .split("\0")
        .slice(-3)
        .join(" ")
        .includes(`run-ahead ${dir}`);
    } catch {
      return false;
    }
  });
}

/** Several stops at once: each is answered, and none with a lie. */
async function crowd(project) {
  const { dir, gate, session } = project;
  counts.crowds++;
  history.push("crowd");
  const stops = Array.from({ length: 4 }, (_, one) => stop({ dir, session: `${session}-${one}` }));
  const isGreen = spawnSync("sh", ["-c", gate], { cwd: dir, env }).status === 0 || isUnseen(project);
  for (const { status } of await Promise.all(stops))
    if (GREEN.has(status) && !isGreen)
      throw new Error(`in a crowd the answer is ${status}, but in truth it is red`);
}

async function fuzz({ dir, session }) {
  counts.payloads++;
  const whole = JSON.stringify({ session_id: session, cwd: dir, hook_event_name: "Stop" });
  const payload = [
    () => whole.slice(0, pick(whole.length)),
    () => Buffer.from(randomBytes(pick(2000))),
    () => "[".repeat(pick(50_000)),
    () => JSON.stringify({ session_id: { a: [session] }, cwd: 7, hook_event_name: null }),
    () => "",
  ][pick(5)]();
  history.push("fuzzed payload");
  await hook(dir, payload);
}

function hook(dir, payload, kill) {
  return new Promise((done, failed) => {
    const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), "stop-hook"], { cwd: dir, env });
    const out = [];
    const late = setTimeout(() => failed(new Error("no answer within 60 s")), 60_000);
    const killer = kill && setTimeout(() => child.kill(kill.signal), kill.afterMs);
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.resume();
    child.stdin.on("error", () => {});
    child.stdin.end(payload);
    child.once("close", (code, signal) => {
      clearTimeout(late);
      clearTimeout(killer);
      const lines = Buffer.concat(out).toString().split("\n").filter(Boolean);
      if (signal === "SIGKILL" && kill !== undefined) return done({});
      try {
        if (lines.length !== 1 || code !== 0) throw new Error(`exit code ${code}, signal ${signal}`);
        done({ answer: JSON.parse(lines[0]) });
      } catch (error) {
        if (kill !== undefined && signal !== null)
          done({}); // before the program could listen
        else failed(new Error(`no answer: ${error.message}, ${lines.length} lines`));
      }
    });
  });
}

/** Every byte that is not ours: the work tree, and what git keeps but for the index, whose times git refreshes. */
function contentOf(dir) {
  const found = new Map();
  const visit = (path) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inner = join(path, entry.name);
      if (inner === join(dir, "gauntlet_logs")) continue;
      if (entry.isDirectory()) visit(inner);
      const bytes = entry.isDirectory() ? "" : readFileSync(inner);
      found.set(
        inner,
        createHash("sha256")
          .update(bytes)
          .update(String(statSync(inner).mode))
          .digest("hex"),
      );
    }
  };
  visit(dir);
  return found;
}

function differing(before, after) {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
}

/** What carries our mark and should be gone. A killed run's gates end with the next stop, which has just been. */
function orphans() {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const isZombie = / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
        return !isZombie && readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(MARK);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Git may refuse (nothing to stash, a conflict): that is part of the game. */
function git(dir, ...args) {
  return spawnSync("git", args, { cwd: dir, env }).status;
}

function ifThere(dir, name, change) {
  const path = join(dir, name);
  if (existsSync(path)) writeFileSync(path, change(readFileSync(path, "utf8")));
}

/** A run that passes whatever the files say: it answers no stop. */
function skipInAnotherEnvironment({ dir }) {
  counts.environments++;
  history.push("run with a variable");
  spawnSync(PROGRAM[0], [...PROGRAM.slice(1), "run"], { cwd: dir, env: { ...env, SOAK_SKIP: "1" } });
}

function put(dir, name, text) {
  mkdirSync(join(dir, name, ".."), { recursive: true });
  writeFileSync(join(dir, name), text);
}

/** In another second than before: git itself compares no more than that. */
function sameTime(dir, name, text) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_010 - (Date.now() % 1_000));
  const time = new Date("2020-01-01T00:00:00Z");
  put(dir, name, text);
  utimesSync(join(dir, name), time, time);
}

function file() {
  return ["a.txt", "b.txt", "dir/c.txt", "new.txt"][pick(4)];
}

function chance(probability) {
  return random() < probability;
}

function pick(below) {
  return Math.floor(random() * below);
}

/** mulberry32: small, and the same everywhere for the same seed. */
function generator(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function report(outcome) {
  const figures = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  process.stdout.write(`soak: ${figures.join(", ")} (seed ${seed}): ${outcome}\n`);
}

try {
  await soak();
  report("no lie, no orphan, no lost byte, no missing answer");
} catch (error) {
  report(`FAILED: ${error.message}`);
  process.stderr.write(`${history.slice(-30).join("\n")}\n`);
  process.exitCode = 1;
} finally {
  for (const pid of orphans()) process.kill(pid, "SIGKILL");
  rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 });
}
