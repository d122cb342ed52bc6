import { hasCode } from "./errno.ts";
import {
  accessSync,
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statfsSync,
  statSync,
  unlinkSync,
  writeFileSync,
  constants,
  rmdirSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Result, fail, ok } from "../../trouble.ts";
import { decodeText } from "./decode-text.ts";
import { now } from "../clock.ts";

/** Far above any file a person writes, far below what memory minds. */
const DEFAULT_MAX_BYTES = 1024 * 1024;

/** To open a file with: for a pipe in its place the system would wait as long as nobody is at its other end. */
export const NEVER_WAIT = constants.O_NONBLOCK ?? 0;

/** The bytes of a regular file; a directory, pipe or device in its place is trouble, never a wait. */
export function readBytes(path: string, maxBytes = DEFAULT_MAX_BYTES): Result<Buffer> {
  try {
    const facts = statSync(path, { throwIfNoEntry: false }); // an error takes longer to make than all the rest
    if (facts === undefined) return fail({ kind: "file-missing", path });
    if (facts.isDirectory()) return failed("read", path, "it is a directory, not a file");
    if (!facts.isFile()) return failed("read", path, "it is not a regular file");
    if (facts.size > maxBytes) return failed("read", path, `it is larger than ${inWords(maxBytes)}`);
    return ok(readFileSync(path));
  } catch (error) {
    return troubleOf("read", path, error);
  }
}

/** The text of a regular file in strict UTF-8, without its byte order mark. */
export function readText(path: string, maxBytes = DEFAULT_MAX_BYTES): Result<string> {
  const bytes = readBytes(path, maxBytes);
  if (!bytes.ok) return bytes;
  const decoded = decodeText(bytes.value);
  return decoded.ok ? ok(decoded.text) : fail({ kind: "text-invalid", path, ...decoded.problem });
}

/** The names in a directory, in an order that does not depend on the machine. */
export function listDirectory(path: string): Result<readonly string[]> {
  try {
    return ok(readdirSync(path).toSorted(byCodeUnit));
  } catch (error) {
    return troubleOf("list", path, error);
  }
}

/** Writes a file so that a reader sees the old content or the new, never a part; makes its directory if need be. */
export function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  { mode = 0o666 }: { readonly mode?: number } = {},
): Result<void> {
  const draft = `${path}.${uniqueName()}.tmp`;
  try {
    writeNew(draft, content, mode);
    renameSync(draft, path);
    return ok(undefined);
  } catch (error) {
    removeFile(draft);
    return troubleOf("write", path, error);
  }
}

function writeNew(path: string, content: string | Uint8Array, mode: number): void {
  try {
    writeFileSync(path, content, { flag: "wx", mode });
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error; // rarely is a directory missing
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { flag: "wx", mode });
  }
}

/** Moves a directory out of the place of a file of ours, which anything can make: without the file no stop can be blocked. False if there is none. */
export function putAside(path: string): boolean {
  try {
    if (!statSync(path).isDirectory()) return false;
    renameSync(path, `${path}.${uniqueName()}.aside`);
    return true;
  } catch {
    return false;
  }
}

export function appendText(path: string, content: string): Result<void> {
  try {
    appendFileSync(path, content);
    return ok(undefined);
  } catch (error) {
    return troubleOf("write", path, error);
  }
}

/** Removes a file; one that is not there is fine. */
export function removeFile(path: string): Result<void> {
  try {
    unlinkSync(path);
    return ok(undefined);
  } catch (error) {
    return hasCode(error, "ENOENT") ? ok(undefined) : troubleOf("remove", path, error);
  }
}

/** An errno in words; anything that is not one is a bug and travels on. */
export function troubleOf(action: string, path: string, error: unknown): ReturnType<typeof fail> {
  const code = hasCode(error) ? error.code : "";
  if (code === "ENOENT" && !action.startsWith("write")) return fail({ kind: "file-missing", path });
  if (code === "") throw error;
  if (code === "ENOTDIR" && action === "list") return failed(action, path, "it is not a directory");
  return failed(action, path, ERRNO_WORDS[code] ?? code);
}

const ERRNO_WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EEXIST: "something else is in its place",
  ENOENT: "a directory on its path is missing, or a symbolic link leads nowhere",
  EISDIR: "it is a directory, not a file",
  ENOTDIR: "a part of its path is a file, not a directory",
  ELOOP: "its symbolic links go in a circle",
  ENAMETOOLONG: "its name is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "it would become too large",
  EROFS: "the disk is read-only",
};

function failed(action: string, path: string, detail: string): ReturnType<typeof fail> {
  return fail({ kind: "file-failed", action, path, detail });
}

function inWords(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MB` : `${Math.round(bytes / 1024)} KB`;
}

function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const MAX_BYTES = 1024 * 1024;

/** The text of a small file of ours; nothing when a pipe, a device or something huge is in its place. Throws as reading does. */
export function readSmallFile(path: string): string {
  const facts = statSync(path); // to open a pipe would be to wait for its writer
  return facts.isFile() && facts.size <= MAX_BYTES ? readFileSync(path, "utf8") : "";
}

/** The names in a directory; none where there is no directory that can be read. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Removes a file of ours. One that is missing or cannot be removed is ignored. */
export function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    return;
  }
}

/** What is at a path, links followed. Nothing is below a file, or behind a link to itself. */
export function kindOf(path: string): "directory" | "file" | "missing" {
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts === undefined) return "missing";
    return facts.isDirectory() ? "directory" : "file";
  } catch (error) {
    if (hasCode(error, "ENOTDIR") || hasCode(error, "ELOOP")) return "missing";
    throw error;
  }
}

/** Why no program can be started in a directory; undefined where one can. */
export function whyNotEnterable(path: string): string | undefined {
  try {
    const kind = kindOf(path);
    if (kind !== "directory") return kind === "missing" ? "does not exist" : "is not a directory";
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    return "cannot be entered: permission denied";
  }
}

function isDirectory(path: string): boolean {
  return kindOf(path) === "directory";
}

/** Whether a file is at a path taken from some text; one that cannot be looked up is not. */
export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

/** When a file was last written, in milliseconds since the epoch; undefined if missing. */
export function modifiedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Those of a directory's files that were written least recently, all but as many as are kept. */
export function oldestOf(directory: string, names: readonly string[], kept: number): readonly string[] {
  return names
    .map((name) => ({ name, at: modifiedAt(join(directory, name)) ?? 0 }))
    .toSorted((one, other) => other.at - one.at)
    .slice(kept)
    .map(({ name }) => name);
}

/** Where a path leads once every link is followed; undefined if it leads nowhere. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Puts a finished draft in its place. Throws what the system says. */
export function renameOver(draft: string, path: string): void {
  renameSync(draft, path);
}

/** How much more fits on the disk that a directory is on. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/**
 * Makes a directory that only we can look into, and what is missing above it. Node's own way never ends where a file system
 * denies that a parent is there, as `/proc` does (seen in 20.20.2).
 */
export function makePrivateDirectory(path: string): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makePrivateDirectory(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isDirectory(path)) throw error; // otherwise another process has just made it
  }
}

/** Removes a directory of ours with all that is in it. In Node 20 `rmSync` does the same in three times the time, and copes with the rest. */
export function removeTree(path: string): void {
  try {
    removeDirectory(path);
  } catch {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Removes a directory of ours, unless something is in it. */
export function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (!hasCode(error)) throw error;
  }
}

/** A link, or a file, in the place of the directory goes itself. */
function removeDirectory(path: string): void {
  if (!lstatSync(path).isDirectory()) return unlinkSync(path);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) removeDirectory(inside);
    else unlinkSync(inside);
  }
  rmdirSync(path);
}

/** Removes drafts that killed writers left in a directory, of the names in it. One that is young may be another machine's. */
export function discardOldDrafts(directory: string, names: readonly string[]): void {
  for (const draft of names.filter((name) => name.endsWith(".tmp")).map((name) => join(directory, name)))
    if (now() - (modifiedAt(draft) ?? now()) > DRAFT_MS) discard(draft);
}

/** Nothing takes this long to write. */
const DRAFT_MS = 60_000;

/** A name that nothing else on this or another machine has: for drafts and runs. Not a secret. */
export function uniqueName(): string {
  const random = Math.random().toString(36).slice(2);
  return [process.pid, now().toString(36), random].join("-");
}

/** Writes to a standard stream before going on, so that nothing is lost when the process ends. A reader that is gone is fine. */
export function writeAll(fd: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      if (!hasCode(error, "EAGAIN")) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // the reader is slow
    }
  }
}
