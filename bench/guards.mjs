// How much of what cheats the guards find, how often they accuse honest work, and what they cost: tasks of our own, every change passing
// the plain gate. `--half open` is for building, `--half held` for judging; `--seed` chooses which changes of each task are played.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { RUNNERS, tasks, WISHED } from "./guard-tasks.mjs";

const { values } = parseArgs({
  options: {
    half: { type: "string" },
    seed: { type: "string" },
    all: { type: "boolean" },
    only: { type: "string" },
    verbose: { type: "boolean" },
  },
});
const HERE = resolve(import.meta.dirname, "..");
const PROGRAM = [process.execPath, join(HERE, "dist/cli/agent-gauntlet.cjs")];
const ROOT = realpathSync(mkdtempSync(join(tmpdir(), "gauntlet-guards-")));
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "agent-gauntlet-bench");
const PATTERNS = ["weakened-tests", "suppressions", "fewer-tests"];
const python = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
  encoding: "utf8",
}).stdout?.trim();
const env = {
  PATH: [join(ROOT, "node_modules/.bin"), python && dirname(python), process.env.PATH]
    .filter(Boolean)
    .join(delimiter),
  HOME: join(ROOT, "home"),
  TMPDIR: ROOT,
  LANG: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
  PYTHONDONTWRITEBYTECODE: "1",
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "Bench"],
      [`GIT_${who}_EMAIL`, "bench@example.com"],
    ]),
  ),
};

/** Where the runner is installed, or why it is skipped. */
function installed({ needs, needsModule, needsPython }) {
  if (needsPython && !python) return { skipped: "no python3" };
  if (needsModule && spawnSync(python, ["-m", needsModule, "--version"]).status !== 0)
    return { skipped: `no ${needsModule}` };
  if (needs === undefined) return {};
  if (existsSync(join(HERE, "node_modules", needs))) return { modules: join(HERE, "node_modules") };
  const place = join(CACHE, needs);
  const modules = join(place, "node_modules");
  if (existsSync(join(modules, needs))) return { modules };
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), "{}");
  const done = spawnSync("npm", ["install", "--no-audit", "--no-fund", needs], {
    cwd: place,
    encoding: "utf8",
  });
  return done.status === 0
    ? { modules }
    : { skipped: `npm install ${needs}: ${done.stderr.trim().split("\n").at(-1)}` };
}

function guardNames() {
  const schema = JSON.parse(readFileSync(join(HERE, "schema/config.schema.json"), "utf8"));
  const { properties } = schema.properties.guards;
  return Object.keys(properties).filter((name) => properties[name].type !== "array");
}

function put(project, files) {
  for (const [name, text] of Object.entries(files)) {
    const path = join(project, name);
    mkdirSync(dirname(path), { recursive: true });
    if (text === undefined) rmSync(path, { force: true });
    else writeFileSync(path, text);
  }
}

function gauntlet(project) {
  const started = performance.now();
  const done = spawnSync(PROGRAM[0], [...PROGRAM.slice(1), "run", "--json"], {
    cwd: project,
    env,
    encoding: "utf8",
  });
  return { ...JSON.parse(done.stdout), seconds: (performance.now() - started) / 1000 };
}

function prepare(task, guards, modules) {
  const place = join(ROOT, "task");
  rmSync(ROOT, { recursive: true, force: true });
  mkdirSync(env.HOME, { recursive: true });
  const config = `base_branch: main\nchecks:\n  gate: ${JSON.stringify(task.runner.gate)}\nguards:\n${guards.map((name) => `  ${name}: tell\n`).join("")}`;
  put(place, {
    ...task.files,
    ".gauntlet/config.yml": config,
    ".gitignore": `${task.files[".gitignore"] ?? ""}node_modules\n`,
  });
  if (modules) symlinkSync(modules, join(ROOT, "node_modules")); // above the project and the scratch trees of the guards
  spawnSync(
    "sh",
    ["-c", "git init --quiet --initial-branch main && git add --all && git commit --quiet --message start"],
    { cwd: place, env },
  );
  put(place, { "notes.md": "begun\n" });
  const first = gauntlet(place);
  if (first.status !== "passed") throw new Error(`${task.name}: ${first.status} before any change`);
  cpSync(ROOT, `${ROOT}.kept`, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  return place;
}

function play(task, kind, files) {
  rmSync(ROOT, { recursive: true, force: true });
  cpSync(`${ROOT}.kept`, ROOT, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  const place = join(ROOT, "task");
  put(place, files);
  const { outcomes, seconds } = gauntlet(place);
  const gate = outcomes.find((one) => one.kind === "check");
  const guards = outcomes.filter((one) => one.kind === "guard");
  const said = guards.filter(({ detail }) => detail !== null && !TOLD_APART.test(detail));
  // The user is to see changed expectations, wished or not.
  const saying = kind === WISHED ? said.filter(({ name }) => name !== "original-tests") : said;
  return {
    task: task.name,
    kind,
    isGreen: gate?.outcome === "passed",
    patterns: saying.some(({ name }) => PATTERNS.includes(name)),
    guards: saying.length > 0,
    said: saying.map(({ name, detail }) => `${name}: ${detail}`),
    seconds,
    gateSeconds: (gate?.durationMs ?? 0) / 1000,
    guardSeconds: Math.max(0, ...guards.map(({ durationMs }) => durationMs)) / 1000,
  };
}

/** No accusation: the tests fit another interface. */
const TOLD_APART = /^old tests no longer build: [^;]*$/;

/** Some of each task's changes, others for each task, so that all kinds are played over the tasks. */
function chosen(changes, number, count) {
  const all = Object.entries(changes);
  if (values.all) return all;
  const from = (number * count + Number(values.seed ?? 0)) % all.length;
  return [...all, ...all].slice(from, from + Math.min(count, all.length));
}

function bench() {
  const guards = guardNames();
  const ready = new Map(RUNNERS.map((runner) => [runner.name, installed(runner)]));
  for (const [name, { skipped }] of ready)
    if (skipped) process.stdout.write(`skipped: ${name} (${skipped})\n`);
  const half = tasks().filter(
    (_, at) => values.half === undefined || (at % 2 === 0) === (values.half === "open"),
  );
  const played = half.filter(
    ({ name, runner }) => !ready.get(runner.name).skipped && name.includes(values.only ?? ""),
  );
  const results = { honest: [], cheats: [] };
  played.forEach((task, number) => {
    prepare(task, guards, ready.get(task.runner.name).modules);
    for (const sort of ["honest", "cheats"])
      for (const [kind, files] of chosen(task[sort], number, sort === "honest" ? 3 : 5)) {
        const result = play(task, kind, files);
        results[sort].push(result);
        if (values.verbose)
          process.stdout.write(
            `${sort} ${task.name}: ${kind}: ${result.isGreen ? "" : "(the gate fails) "}${result.said.join(" | ") || "-"}\n`,
          );
      }
  });
  process.stdout.write(`${played.length} tasks, ${guards.join(", ")}\n`);
  report(results);
}

function report({ honest, cheats }) {
  const green = cheats.filter(({ isGreen }) => isGreen);
  process.stdout.write(`\n${"".padEnd(44)}   n  exit patt. guards\n`);
  for (const kind of new Set(green.map(({ kind }) => kind)))
    process.stdout.write(row(`found: ${kind}`, ofKind(green, kind)));
  process.stdout.write(row("found: all kinds", green));
  for (const kind of new Set(honest.map(({ kind }) => kind)))
    process.stdout.write(row(`accused: ${kind}`, ofKind(honest, kind)));
  process.stdout.write(row("accused: all honest changes", honest));
  const all = [...honest, ...cheats];
  const gate = median(all.map(({ gateSeconds }) => gateSeconds));
  const guards = median(all.map(({ guardSeconds }) => guardSeconds));
  process.stdout.write(
    `\nmedian: the gate ${gate.toFixed(2)} s, the guards ${guards.toFixed(2)} s after it\n`,
  );
  const red = all.filter(({ isGreen }) => !isGreen).map(({ task, kind }) => `${task}: ${kind}`);
  if (red.length > 0) process.stdout.write(`left out, because the gate fails: ${red.join("; ")}\n`);
}

function ofKind(all, kind) {
  return all.filter((one) => one.kind === kind);
}

/** The exit code alone finds nothing and accuses nobody: every change that counts passes the gate. */
function row(name, all) {
  const shares = [
    0,
    all.filter(({ patterns }) => patterns).length,
    all.filter(({ guards }) => guards).length,
  ];
  const cells = shares.map((some) => `${Math.round((100 * some) / Math.max(1, all.length))} %`.padStart(6));
  return `${name.padEnd(44)}${String(all.length).padStart(4)}${cells.join("")}\n`;
}

function median(list) {
  return list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
}

try {
  bench();
} finally {
  rmSync(ROOT, { recursive: true, force: true });
  rmSync(`${ROOT}.kept`, { recursive: true, force: true });
}
