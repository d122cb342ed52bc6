import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AbsolutePath, absolutePath } from "../../path.ts";
import { hasCode } from "./errno.ts";
import { readIfFile } from "./files.ts";

export const CONFIG_FILE = ".gauntlet/config.yml";

/** Of the original system's successor: read if there is no `.gauntlet/config.yml`. */
const SUCCESSOR_FILE = ".validator/config.yml";

/** The configuration file of a project, relative to its root; the first of both if neither exists. */
export function configFileOf(root: string): string {
  if (isThere(join(root, CONFIG_FILE))) return CONFIG_FILE;
  return isThere(join(root, SUCCESSOR_FILE)) ? SUCCESSOR_FILE : CONFIG_FILE;
}

/**
 * The directory whose `.gauntlet/config.yml` applies: `cwd` or the nearest one above it, within the git work tree. Outside git
 * only `cwd` counts. So an agent that `cd`s stays gated, and a stray file in a home directory gates nothing.
 */
export function findProject(cwd: string): AbsolutePath | undefined {
  const found = searchedDirectories(nearestExisting(cwd)).find(holdsConfig);
  return found === undefined ? undefined : absolutePath(found);
}

export function holdsConfig(dir: string): boolean {
  return isThere(join(dir, CONFIG_FILE)) || isThere(join(dir, SUCCESSOR_FILE));
}

/** An inaccessible file exists: reading it says why it cannot be used. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !hasCode(error, "ENOTDIR");
  }
}

export function isBelow(dir: string, above: string): boolean {
  return ancestors(nearestExisting(dir)).includes(above);
}

function searchedDirectories(start: string): readonly string[] {
  const upwards = ancestors(start);
  const top = upwards.findIndex(holdsRepository);
  return top === -1 ? [start] : upwards.slice(0, top + 1);
}

/** As git sees it: a `.git` directory without these is none. Codex's sandbox leaves an empty one in the temporary directory. */
export function holdsRepository(dir: string): boolean {
  const path = join(dir, ".git");
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return existsSync(path);
  return namesCommit(join(path, "HEAD")) && ["objects", "refs"].every((name) => existsSync(join(path, name)));
}

/** Or in a submodule. */
export function isInLinkedTree(dir: string): boolean {
  const top = ancestors(dir).find(holdsRepository);
  return top !== undefined && statSync(join(top, ".git")).isFile();
}

/** What cannot be read is left to git, which says why. */
function namesCommit(head: string): boolean {
  const text = readIfFile(head);
  return text === undefined ? existsSync(head) : /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(text);
}

function nearestExisting(cwd: string): string {
  const existing = ancestors(cwd).find((dir) => existsSync(dir));
  return existing === undefined ? cwd : realpathSync(existing);
}

export function ancestors(dir: string): readonly string[] {
  const parent = dirname(dir);
  return parent === dir ? [dir] : [dir, ...ancestors(parent)];
}
