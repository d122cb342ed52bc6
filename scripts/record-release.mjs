// node scripts/record-release.mjs FILE [--at=DIRECTORY] [PROGRAM…]: what this release (or PROGRAM) leaves on a machine after a session: state, ledger, cache, logs. At a
// release it is recorded as test/fixtures/release-X.Y.json; a test shows that every later program reads it, or leaves it.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const CONFIG = `base_branch: main
checks:
  lint: { command: "true", inputs: ["src/**"] }
  test: test -e fixed
guards: { weakened-tests: tell }
stop_hook: { when_active: enforce }
`;

const cli = resolve(import.meta.dirname, "../dist/cli/agent-gauntlet.cjs");
const [, , file, ...given] = process.argv.filter((arg) => !arg.startsWith("--at="));
/** State belongs to a place: a test puts it back where it was recorded. */
const MACHINE =
  process.argv.find((arg) => arg.startsWith("--at="))?.slice("--at=".length) ?? "/tmp/agent-gauntlet-release";
if (file === undefined) throw new Error("Name the file to write.");
const [program, ...first] = given.length > 0 ? given : [process.execPath, cli];

const project = join(MACHINE, "project");
rmSync(MACHINE, { recursive: true, force: true });
mkdirSync(join(project, ".gauntlet"), { recursive: true });
mkdirSync(join(MACHINE, "home"));
writeFileSync(join(project, ".gauntlet/config.yml"), CONFIG);
git("init", "--quiet", "--initial-branch=main");
git("add", "--all");
git("commit", "--quiet", "--message", "start");

hook("session-start", { hook_event_name: "SessionStart", source: "startup" });
mkdirSync(join(project, "src"));
writeFileSync(join(project, "src/a.txt"), "1\n");
hook("stop-hook", { hook_event_name: "Stop" });
writeFileSync(join(project, "fixed"), "");
hook("stop-hook", { hook_event_name: "Stop", stop_hook_active: true });
writeFileSync(join(project, "src/a.txt"), "2\n");
rmSync(join(project, "fixed"));
hook("stop-hook", { hook_event_name: "Stop" });
const version = start("--version").stdout.trim();

const files = Object.fromEntries(
  ["home", "project"].flatMap((part) =>
    readdirSync(join(MACHINE, part), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(MACHINE.length + 1))
      .filter((name) => !name.startsWith("project/.git/") && !name.includes("/compiled"))
      .toSorted()
      .map((name) => [name, readFileSync(join(MACHINE, name)).toString("base64")]),
  ),
);
mkdirSync(dirname(resolve(file)), { recursive: true });
writeFileSync(file, `${JSON.stringify({ version, machine: MACHINE, files }, null, 1)}\n`);
rmSync(MACHINE, { recursive: true });

function hook(subcommand, event) {
  const { status, stdout, stderr } = start(subcommand, { session_id: "recorded", cwd: project, ...event });
  if (status !== 0) throw new Error(`${subcommand}: ${stdout}${stderr}`);
}

function start(subcommand, event = {}) {
  const options = { cwd: project, env: environment(), encoding: "utf8", input: JSON.stringify(event) };
  return spawnSync(program, [...first, subcommand], options);
}

function git(...args) {
  const { status, stderr } = spawnSync("git", args, { cwd: project, env: environment(), encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

/** The same commit, and so the same trees, whenever it is recorded. */
function environment() {
  const at = "2026-01-01T00:00:00Z";
  const who = { NAME: "Test", EMAIL: "test@example.com", DATE: at };
  const signed = Object.entries(who).flatMap(([name, value]) => [
    [`GIT_AUTHOR_${name}`, value],
    [`GIT_COMMITTER_${name}`, value],
  ]);
  const base = { PATH: process.env.PATH, HOME: join(MACHINE, "home"), GIT_CONFIG_NOSYSTEM: "1" };
  return { ...base, ...Object.fromEntries(signed) };
}
