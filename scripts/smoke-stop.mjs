// node scripts/smoke-stop.mjs PROGRAM [ARGUMENT…]: a stop blocked, fixed and allowed by a program that tests do not drive here: of another
// system or Node, or installed from a registry; `--native` is the one that was built here. Exit code 1 says what was answered instead.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const CHECK = process.platform === "win32" ? "dir fixed" : "test -e fixed";

if (process.argv[1] === import.meta.filename) {
  const words = process.argv[2] === "--native" ? [builtProgram()] : process.argv.slice(2);
  const problems = smokeStop(words.map((word) => (existsSync(word) ? resolve(word) : word)));
  for (const problem of problems) console.error(`not ok: ${problem}`);
  if (problems.length === 0) console.log("ok: blocked, fixed, allowed");
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function builtProgram() {
  const folder = join(import.meta.dirname, "../dist/native");
  const program = readdirSync(folder, { recursive: true }).find((file) =>
    /agent-gauntlet(?:\.exe)?$/.test(file),
  );
  if (program === undefined) throw new Error("not built: npm run build:native");
  return join(folder, program);
}

/** Through configuration, git, plan, processes, state and answer: what went otherwise, in words. */
export function smokeStop([file, ...args]) {
  const home = mkdtempSync(join(tmpdir(), "gauntlet-smoke-"));
  try {
    const project = join(home, "project");
    mkdirSync(join(project, ".gauntlet"), { recursive: true });
    writeFileSync(join(project, ".gauntlet/config.yml"), `checks:\n  ready: ${CHECK}\n`);
    const options = { cwd: project, env: environment(home), encoding: "utf8", timeout: 120_000 };
    spawnSync("git", ["init", "--quiet"], options);
    const input = JSON.stringify({ session_id: "s", cwd: project, hook_event_name: "Stop" });
    const stop = () => spawnSync(file, [...args, "stop-hook"], { ...options, input });
    const blocked = stop();
    writeFileSync(join(project, "fixed"), "");
    const problems = [problemOf(blocked, '"decision":"block"'), problemOf(stop(), '"status":"passed"')];
    return problems.filter((problem) => problem !== "");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function environment(home) {
  const { PATH, SystemRoot, ComSpec, PATHEXT, TEMP } = process.env;
  const windows = {
    SystemRoot,
    ComSpec,
    PATHEXT,
    TEMP,
    USERPROFILE: home,
    LOCALAPPDATA: join(home, "local"),
  };
  return { PATH, HOME: home, ...(process.platform === "win32" ? windows : {}) };
}

function problemOf({ status, stdout, stderr, error }, text) {
  if (error) return error.message;
  return status === 0 && stdout.includes(text) ? "" : `exit code ${status}, no ${text}: ${stdout}${stderr}`;
}
