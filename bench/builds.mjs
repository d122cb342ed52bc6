import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { git } from "./fixtures.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Builds a commit in `dir`. */
export function buildCommit(revision, dir, options) {
  const commit = git(ROOT, "rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`).trim();
  mkdirSync(dir);
  const archive = join(dir, "..", "base.tar");
  git(ROOT, "archive", `--output=${archive}`, commit);
  execFileSync("tar", ["-xf", archive, "-C", dir]);
  return { name: commit.slice(0, 8), dist: build(dir, options) };
}

/** Builds in `dir` the files of this checkout as they are, so that its own `dist` stays. */
export function buildWorkTree(dir, options) {
  const listed = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0");
  const isOurs = (name) => name !== "" && name !== "node_modules" && existsSync(join(ROOT, name)); // which may be a link that git lists
  for (const file of listed.filter(isOurs))
    cpSync(join(ROOT, file), join(dir, file), { verbatimSymlinks: true });
  const isDirty = git(ROOT, "status", "--porcelain") !== "";
  const commit = git(ROOT, "rev-parse", "HEAD").slice(0, 8);
  return { name: isDirty ? `${commit} with uncommitted changes` : commit, dist: build(dir, options) };
}

function build(dir, { native }) {
  const run = (command, ...args) =>
    execFileSync(command, args, { cwd: dir, stdio: ["ignore", "ignore", "pipe"] }); // stderr is in the error
  if (lockOf(dir) === lockOf(ROOT)) symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
  else run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
  run("npm", "run", "build");
  if (native) run("node", "scripts/build-native.mjs", "--compile-only");
  return join(dir, "dist");
}

function lockOf(dir) {
  return readFileSync(join(dir, "package-lock.json"), "utf8");
}
