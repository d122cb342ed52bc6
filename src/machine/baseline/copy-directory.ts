import { constants } from "node:fs";
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
import { join } from "node:path";

/** Where a tree was and where its copy is: what the copy must name in place of the original. */
export interface Moved {
  readonly from: string;
  readonly to: string;
}

/** How much may still be copied; shared by all directories of one tree. The blocks of a clone cost nothing. */
export interface CopyLimit {
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

/** Copies a directory, sharing the blocks of its files where the file system can; false when there is more than the limit allows. */
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

interface Entry {
  readonly name: string;
  readonly isSymbolicLink: () => boolean;
  readonly isFile: () => boolean;
}

/** Sockets, pipes and devices are not dependencies. */
async function copyEntry(entry: Entry, { from, to, moved, limit }: CopyRequest): Promise<void> {
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

/** A link into the original would lead back to what the copy is kept apart from. */
export function movedPath(path: string, { from, to }: Moved): string {
  return path === from || path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path;
}

/** Scripts, shims and settings of environments, which name the directory they were made in. */
const NAMES_ITS_PLACE =
  /\/(?:bin|Scripts|\.bin)\/[^/]+$|\.(?:pth|egg-link)$|\/(?:__editable__[^/]*\.py|direct_url\.json|pyvenv\.cfg|\.modules\.yaml)$/;
const MAX_TEXT_BYTES = 256 * 1024;

/** The bytes of such a text with the new place, where it names the old one. */
async function movedText(source: string, { from, to }: Moved): Promise<string | undefined> {
  const [old, now] = [from, to].map((path) => Buffer.from(path).toString("latin1"));
  const text = await readFile(source, "latin1"); // byte for byte
  if (old === undefined || now === undefined || !text.includes(old) || text.includes("\0")) return undefined;
  return text.replaceAll(old, now);
}

/** Whether the files of one directory can be cloned into another: both must be on one file system that shares blocks. */
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
