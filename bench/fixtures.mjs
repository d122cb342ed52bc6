import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** Outside the repository, because what is installed and made here is of no use to anyone else. */
export const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "agent-gauntlet-bench");

/** What every contender gets to see: no CI, no host, no certificates to load (they cost Node 20 some 65 ms a start). */
export function cleanEnv(home) {
  return { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", TURBO_TELEMETRY_DISABLED: "1" };
}

export function writeFiles(dir, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
}

/** A committed repository with so many files, on a branch that has left `origin/main`: with up to 97 × 13 directories, or 97 × some. */
export function repository(dir, fileCount, units = 13) {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  for (let number = 0; number < fileCount; number++) {
    const folder = join(dir, "src", `part${number % 97}`, `unit${number % units}`);
    if (number < 97 * units) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file${number}.ts`), `export const value${number} = ${number};\n`);
  }
  writeFiles(dir, { ".gitignore": "node_modules\ngauntlet_logs\n.turbo\n.wireit\n" });
  git(dir, "init", "--quiet", "--initial-branch=main");
  commit(dir, "Start");
  git(dir, "update-ref", "refs/remotes/origin/main", "HEAD");
  git(dir, "checkout", "--quiet", "-b", "work");
  return dir;
}

/** The same, made once and then reused: a hundred thousand files take minutes. */
export function largeRepository(name, fileCount, files) {
  const dir = join(CACHE, "repositories", `v2-${name}-${fileCount}`);
  rmSync(join(dir, "gauntlet_logs"), { recursive: true, force: true }); // what an earlier version noted down
  if (existsSync(join(dir, ".git"))) return dir;
  const draft = `${dir}.${process.pid}`;
  repository(draft, fileCount);
  writeFiles(draft, files);
  commit(draft, "Add gates");
  rmSync(dir, { recursive: true, force: true });
  renameSync(draft, dir);
  return dir;
}

export function commit(dir, message) {
  git(dir, "add", "--all");
  git(dir, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "--quiet", "-m", message);
}

export function git(dir, ...args) {
  return execFileSync("git", args, { cwd: dir, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
