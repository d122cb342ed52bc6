import { type Dirent, existsSync, lstatSync, realpathSync, statSync, constants } from "node:fs";
import {
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasCode } from "../files/errno.ts";
import { freeBytes } from "../files/files.ts";
import { objectsEnv, splitNul } from "./git.ts";
import type { Repository } from "./repository.ts";
import type { KeptTree } from "./compare/base.ts";

/** What a package manager installed and git ignores: gates need it, and a checkout does not have it. */
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

/** More takes longer than most checks, and room that something else may need. */
const MOST_COPIED_BYTES = 1024 * 1024 * 1024;
const MOST_FILES = 300_000;

/** Directories of dependencies at any level of a work tree. */
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

/** The lock file or manifest that changed since the earlier tree: then other dependencies are installed now. */
export async function changedLock(
  repository: Repository,
  stored: KeptTree,
  names: readonly string[],
): Promise<string | undefined> {
  const { top, places } = repository;
  const kind = names.some((name) => LOCKS.test(name)) ? LOCKS : MANIFESTS;
  const files = names.filter((name) => kind.test(name));
  if (files.length === 0) return undefined;
  const args = [
    "--literal-pathspecs",
    "diff",
    "--name-only",
    "-z",
    "--no-ext-diff",
    "--no-renames",
    stored.tree,
  ];
  const objects = objectsEnv([places.objects, ...stored.objects]);
  const changed = await repository.look((env) =>
    top.output([...args, "--", ...files], { env: { ...env, ...objects } }),
  );
  return changed.ok ? splitNul(changed.value)[0] : files[0];
}

export async function copyDependencies(
  paths: readonly string[],
  { from, to, isClone }: { readonly from: string; readonly to: string; readonly isClone: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  const limit: CopyLimit = {
    isClone,
    bytes: isClone ? MOST_COPIED_BYTES : Math.min(MOST_COPIED_BYTES, freeBytes(to) / 2),
    files: MOST_FILES,
  };
  try {
    for (const path of paths) {
      const source = realpathSync(join(from, path)); // what a link leads to is copied, too
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

/** Where a tree was and where its copy is: the copy must name its own location. */
export interface Moved {
  readonly from: string;
  readonly to: string;
}

/** What may still be copied, for all directories of one tree. A clone uses no blocks. */
interface CopyLimit {
  readonly isClone: boolean;
  bytes: number;
  files: number;
}

interface CopyRequest {
  readonly from: string;
  readonly to: string;
  readonly moved: Moved;
  readonly limit: CopyLimit;
}

/** Shares the blocks of files if the file system can. False if there is more than the limit allows. */
export async function copyDirectory(request: CopyRequest, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const { from, to, limit } = request;
  await mkdir(to, { recursive: true });
  const entries = await readdir(from, { withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  for (let at = 0; at < files.length; at += AT_ONCE) {
    await Promise.all(files.slice(at, at + AT_ONCE).map((entry) => copyEntry(entry, request)));
    if (limit.bytes < 0 || limit.files < 0) return false;
  }
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const inner = { ...request, from: join(from, name), to: join(to, name) };
    if (!(await copyDirectory(inner, signal))) return false;
  }
  return true;
}

const AT_ONCE = 32;

async function copyEntry(entry: Dirent, { from, to, moved, limit }: CopyRequest): Promise<void> {
  const source = join(from, entry.name);
  const target = join(to, entry.name);
  if (entry.isSymbolicLink()) return symlink(movedPath(await readlink(source), moved), target);
  if (!entry.isFile()) return;
  const { size, atime, mtime, mode } = await lstat(source);
  limit.files -= 1;
  if (!limit.isClone) limit.bytes -= size;
  if (limit.bytes < 0 || limit.files < 0) return;
  const text =
    NAMES_ITS_PLACE.test(source) && size < MAX_TEXT_BYTES ? await movedText(source, moved) : undefined;
  if (text !== undefined) return writeFile(target, text, { encoding: "latin1", mode });
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  if (target.endsWith(".py")) await utimes(target, atime, mtime); // its compiled file records this time
}

/** A link into the original would lead gates back to the project. */
export function movedPath(path: string, { from, to }: Moved): string {
  return path === from || path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path;
}

/** Scripts, shims and settings of environments, which name the directory they were made in. */
const NAMES_ITS_PLACE =
  /\/(?:bin|Scripts|\.bin)\/[^/]+$|\.(?:pth|egg-link)$|\/(?:__editable__[^/]*\.py|direct_url\.json|pyvenv\.cfg|\.modules\.yaml)$/;
const MAX_TEXT_BYTES = 256 * 1024;

async function movedText(source: string, { from, to }: Moved): Promise<string | undefined> {
  const [old, now] = [from, to].map((path) => Buffer.from(path).toString("latin1"));
  const text = await readFile(source, "latin1"); // byte for byte
  if (old === undefined || now === undefined || !text.includes(old) || text.includes("\0")) return undefined;
  return text.replaceAll(old, now);
}

/** Whether files can be cloned from one directory into another: a clone of 40,000 files takes no room. */
export async function canClone(from: string, into: string): Promise<boolean> {
  const sample = await firstFile(from);
  if (sample === undefined) return false;
  const probe = join(into, "probe");
  try {
    await copyFile(sample, probe, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  } finally {
    await rm(probe, { force: true });
  }
}

async function firstFile(directory: string): Promise<string | undefined> {
  const entries = await readdir(directory, { withFileTypes: true });
  const file = entries.find((entry) => entry.isFile());
  if (file !== undefined) return join(directory, file.name);
  for (const entry of entries.filter((one) => one.isDirectory())) {
    const found = await firstFile(join(directory, entry.name));
    if (found !== undefined) return found;
  }
  return undefined;
}
