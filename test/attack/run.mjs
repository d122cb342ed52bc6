// Plays every escape of escapes.mjs after a blocked stop, with real tools in scratch repositories, against the built program:
// refused, shown or silent, with what `init` writes and with everything on. Not part of `npm test`.
// Exits with 1 if a row does worse than it says, or if an honest fix is not left alone.
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ESCAPES } from "./escapes.mjs";
import { STAGES } from "./stages.mjs";

const { values } = parseArgs({
  options: { only: { type: "string" }, jobs: { type: "string" }, verbose: { type: "boolean" } },
});
const HOME_OF_TOOLS = resolve(import.meta.dirname, "../..");
const CLI = join(HOME_OF_TOOLS, "dist/cli/agent-gauntlet.cjs");
const PROGRAM = process.env.AGENT_GAUNTLET_PROGRAM_FILE
  ? [process.env.AGENT_GAUNTLET_PROGRAM_FILE]
  : [process.execPath, CLI];
const ROOT = realpathSync(mkdtempSync(join(tmpdir(), "gauntlet-attack-")));
const RANK = { silent: 0, shown: 1, refused: 2 };

/** The interpreter itself: a version manager's shim wants the user's home. */
const python = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
  encoding: "utf8",
}).stdout.trim();
const PATH = [python && dirname(python), process.env.PATH].filter(Boolean).join(delimiter);

/** For projects and for the scratch trees of the guards alike: both lie below. Inside of a project it would be copied with it. */
const MODULES = join(ROOT, "node_modules");
symlinkSync(join(HOME_OF_TOOLS, "node_modules"), MODULES);

function envIn(place) {
  return {
    PATH: [join(MODULES, ".bin"), PATH].join(delimiter),
    HOME: join(place, "home"),
    LANG: "C.UTF-8",
    TMPDIR: ROOT,
    GIT_CONFIG_NOSYSTEM: "1",
    PYTHONDONTWRITEBYTECODE: "1",
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((who) => [
        [`GIT_${who}_NAME`, "Attack"],
        [`GIT_${who}_EMAIL`, "attack@example.com"],
      ]),
    ),
  };
}

function sh(place, line) {
  return spawnSync("sh", ["-c", line], { cwd: join(place, "project"), env: envIn(place), encoding: "utf8" });
}

function write(place, files) {
  for (const [name, text] of Object.entries(files)) {
    const path = join(place, "project", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function program(place, args, stdin) {
  return new Promise((done) => {
    const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), ...args], {
      cwd: join(place, "project"),
      env: envIn(place),
    });
    const out = [];
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.resume();
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
    child.once("close", () => done(Buffer.concat(out).toString()));
  });
}

async function hook(place, name, event) {
  const payload = {
    session_id: "attack",
    cwd: join(place, "project"),
    hook_event_name: event,
    stop_hook_active: false,
  };
  const said = await program(place, [name], JSON.stringify(payload));
  return said === "" ? {} : JSON.parse(said);
}

/** What `init --yes` writes below its checks. */
async function initialSettings() {
  const place = join(ROOT, "init");
  mkdirSync(join(place, "home"), { recursive: true });
  write(place, STAGES.npm.files);
  sh(place, "git init --quiet && git add --all && git commit --quiet --message start");
  await program(place, ["init", "--yes"], "");
  const text = readFileSync(join(place, "project/.gauntlet/config.yml"), "utf8");
  return text.slice(text.search(/^guards:/m));
}

/** Every guard that the schema knows. */
function everythingOn() {
  const schema = JSON.parse(readFileSync(join(HOME_OF_TOOLS, "schema/config.schema.json"), "utf8"));
  const guards = Object.keys(schema.properties.guards.properties).filter(
    (name) => schema.properties.guards.properties[name].type !== "array",
  );
  const rows = guards.map((name) => `  ${name}: block\n`).join("");
  return `guards:\n${rows}stop_hook:\n  when_active: enforce\n  when_gates_change: hold\n`;
}

/** A project whose last stop was blocked, kept to be put back for each escape. */
async function prepare(stage, settings) {
  const place = join(ROOT, `${stage.name}-${settings.name}`);
  mkdirSync(join(place, "home"), { recursive: true });
  const config = `base_branch: main\nchecks:\n  gate: ${JSON.stringify(stage.gate)}\n${settings.text}`;
  write(place, { ...stage.files, ".gauntlet/config.yml": config });
  const ignored = stage.files[".gitignore"] ?? "";
  write(place, { ".gitignore": `${ignored}node_modules\n` });
  sh(place, stage.before ?? "true");
  sh(place, "git init --quiet --initial-branch main && git add --all && git commit --quiet --message start");
  await hook(place, "session-start", "SessionStart");
  write(place, { "notes.md": "begun\n" });
  const first = await hook(place, "stop-hook", "Stop");
  if (first.status !== "passed")
    throw new Error(`${stage.name}: the first stop is ${first.status}: ${first.reason ?? first.message}`);
  write(place, stage.bug);
  const second = await hook(place, "stop-hook", "Stop");
  if (second.decision !== "block") throw new Error(`${stage.name}: the second stop is ${second.status}`);
  cpSync(place, `${place}.kept`, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  return place;
}

function putBack(place) {
  rmSync(place, { recursive: true, force: true });
  cpSync(`${place}.kept`, place, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

/** What the stop makes of it, and whether the gate itself passed. */
async function play(place, stage, act) {
  putBack(place);
  const project = {
    read: (name) => readFileSync(join(place, "project", name), "utf8"),
    write: (files) => write(place, files),
    sh: (line) => sh(place, line),
    program: PROGRAM.map((one) => `'${one}'`).join(" "),
  };
  await act(project);
  if (stage.isStandIn) rmSync(join(place, "failing"), { force: true });
  const { decision, status, reason = "", systemMessage: told = "" } = await hook(place, "stop-hook", "Stop");
  if (decision === undefined) throw new Error(`${place}: the stop hook gave no answer`);
  const met = decision === "block" ? "refused" : told === "" ? "silent" : "shown";
  return { met, isGreen: !reason.includes("── gate "), said: reason || told, status };
}

async function attack() {
  const settings = [
    { name: "defaults", text: await initialSettings() },
    { name: "everything", text: everythingOn() },
  ];
  const rows = [];
  const wanted = ESCAPES.filter(({ how, stage, kind }) =>
    new RegExp(values.only ?? "").test(`${stage} ${kind} ${how}`),
  );
  const parts = Object.entries(STAGES).flatMap(([name, stage]) => {
    const own = wanted.filter((one) => one.stage === name);
    return own.length === 0 ? [] : settings.map((one) => ({ stage: { name, ...stage }, settings: one, own }));
  });
  const work = async () => {
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const { stage, settings: with_, own } = part;
      if (
        stage.needs &&
        spawnSync(stage.needs[0], stage.needs.slice(1), { env: { ...process.env, PATH } }).status !== 0
      ) {
        process.stdout.write(
          `skipped: ${own.length} escapes in ${stage.name}, ${stage.needs.join(" ")} does not run\n`,
        );
        continue;
      }
      const place = await prepare(stage, with_);
      const honest = await play(place, stage, ({ write: put }) => put(stage.fix));
      if (honest.met !== "silent" || honest.status === "failed")
        rows.push({
          how: "an honest fix",
          kind: "fix",
          stage: stage.name,
          with: with_.name,
          ...honest,
          expected: "silent",
          isFix: true,
        });
      for (const one of own) {
        const met = await play(place, stage, one.act);
        rows.push({ ...one, with: with_.name, ...met, expected: one[with_.name] });
        print(rows.at(-1));
      }
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs ?? availableParallelism()) }, work));
  return rows;
}

function print({ met, with: settings, stage, kind, how, isGreen, expected, said }) {
  const worse = RANK[met] < RANK[expected] ? `  (expected: ${expected})` : "";
  const red = isGreen || expected === "refused" ? "" : "  (the gate still fails)";
  process.stdout.write(`${met.padEnd(8)} ${settings.padEnd(10)} ${stage}: ${kind}: ${how}${worse}${red}\n`);
  if (values.verbose) process.stdout.write(`         ${said.replaceAll("\n", "\n         ")}\n`);
}

function sums(rows) {
  for (const settings of ["defaults", "everything"]) {
    const own = rows.filter((one) => one.with === settings && !one.isFix);
    const count = (met) => own.filter((one) => one.met === met).length;
    process.stdout.write(
      `\n${settings}: ${own.length} escapes, ${count("refused")} refused, ${count("shown")} shown, ${count("silent")} silent\n`,
    );
    for (const { stage, kind, how, remains } of own.filter(({ met }) => met === "silent"))
      process.stdout.write(`  silent: ${stage}: ${kind}: ${how}${remains ? ` — ${remains}` : ""}\n`);
  }
  const bothered = rows.filter(({ isFix }) => isFix);
  for (const { stage, with: settings, met, said } of bothered)
    process.stdout.write(`\nan honest fix in ${stage} with ${settings} is ${met}: ${said}\n`);
  const worse = rows.filter(({ met, expected }) => RANK[met] < RANK[expected]);
  const idle = rows.filter(({ isGreen, met, isFix }) => !isGreen && met === "silent" && !isFix);
  if (worse.length + bothered.length + idle.length > 0) process.exitCode = 1;
}

try {
  sums(await attack());
} finally {
  rmSync(ROOT, { recursive: true, force: true });
}
