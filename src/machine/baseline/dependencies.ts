import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasCode } from "../files/errno.ts";
import { objectsEnv, splitNul } from "../git/git.ts";
import type { Repository } from "../git/repository.ts";
import { type CopyLimit, copyDirectory } from "./copy-directory.ts";

/** What a package manager installed and git ignores: gates need it, and no checkout brings it. */
const NAMES: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  ".yarn",
  ".pnp.cjs",
  ".pnp.loader.mjs",
  ".venv",
  "venv",
  "__pypackages__",
  ".pixi",
  "vendor",
  ".bundle",
  "deps",
  "elm-stuff",
  "Pods",
  ".dart_tool",
]);

/** More takes longer than most checks, and room that may be needed elsewhere. */
const MOST_COPIED_BYTES = 1024 * 1024 * 1024;
const MOST_FILES = 300_000;

/** The directories of dependencies in a work tree, from its top, at any level. */
export async function findDependencies({ top }: Repository): Promise<readonly string[] | undefined> {
  const options = ["--others", "--ignored", "--exclude-standard", "--directory"];
  const listed = await top.output(["ls-files", "-z", ...options]);
  if (!listed.ok) return undefined;
  return splitNul(listed.value)
    .map((path) => path.replace(/\/$/, ""))
    .filter((path) => isDependency(path, top.cwd));
}

function isDependency(path: string, top: string): boolean {
  const name = basename(path);
  if (name === "bundle") return basename(dirname(path)) === "vendor";
  return NAMES.has(name) || existsSync(join(top, path, "pyvenv.cfg"));
}

const LOCKS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|Pipfile\.lock|uv\.lock|pdm\.lock|pixi\.lock|requirements[^/]*\.txt|Gemfile\.lock|mix\.lock|composer\.lock|go\.sum|Podfile\.lock|pubspec\.lock)$/;
const MANIFESTS =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Gemfile|mix\.exs|composer\.json|Podfile|pubspec\.yaml)$/;

/** The file that says that other dependencies are installed now than an earlier tree had. */
export async function changedLock(
  repository: Repository,
  tree: string,
  options: { readonly names: readonly string[]; readonly objects: readonly string[] },
): Promise<string | undefined> {
  const { top, places } = repository;
  const kind = options.names.some((name) => LOCKS.test(name)) ? LOCKS : MANIFESTS;
  const files = options.names.filter((name) => kind.test(name));
  if (files.length === 0) return undefined;
  const args = ["--literal-pathspecs", "diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", tree];
  const objects = objectsEnv([places.objects, ...options.objects]);
  const changed = await repository.look((env) =>
    top.output([...args, "--", ...files], { env: { ...env, ...objects } }),
  );
  return changed.ok ? splitNul(changed.value)[0] : files[0];
}

/** Brings the dependencies of one tree into another, or says why that cannot be done. */
export async function copyDependencies(
  paths: readonly string[],
  { from, to, isClone }: { readonly from: string; readonly to: string; readonly isClone: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  const limit: CopyLimit = {
    isClone,
    bytes: isClone ? MOST_COPIED_BYTES : Math.min(MOST_COPIED_BYTES, (await freeBytes(to)) / 2),
    files: MOST_FILES,
  };
  try {
    for (const path of paths) {
      const source = realpathSync(join(from, path)); // a link to a directory elsewhere is copied, too
      const parent = dirname(join(to, path));
      const isWanted = statSync(source).isDirectory() && existsSync(parent) && !isThere(join(to, path));
      const request = { from: source, to: join(to, path), moved: { from, to }, limit };
      if (isWanted && !(await copyDirectory(request, signal))) return `${path} is too large to be copied`;
    }
    return undefined;
  } catch (error) {
    if (!hasCode(error) || signal.aborted) throw error;
    return `the installed dependencies cannot be copied: ${error.message}`;
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
