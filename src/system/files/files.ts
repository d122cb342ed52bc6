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
  type Stats,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Result, fail, ok } from "../../trouble.ts";
import { decodeText } from "./decode-text.ts";
import { now } from "../clock.ts";

const DEFAULT_MAX_BYTES = 1024 * 1024;

/** Opening a pipe would wait for its other end. */
export const NEVER_WAIT = constants.O_NONBLOCK ?? 0;

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

export function readText(path: string, maxBytes = DEFAULT_MAX_BYTES): Result<string> {
  const bytes = readBytes(path, maxBytes);
  if (!bytes.ok) return bytes;
  const decoded = decodeText(bytes.value);
  return decoded.ok ? ok(decoded.text) : fail({ kind: "text-invalid", path, ...decoded.problem });
}

export function listDirectory(path: string): Result<readonly string[]> {
  try {
    return ok(readdirSync(path).toSorted(byCodeUnit));
  } catch (error) {
    return troubleOf("list", path, error);
  }
}

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

/**
 * Moves a directory out of the place of a file of ours: anything can make one, and without the file no stop can be blocked.
 * False if there is none.
 */
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

export function removeFile(path: string): Result<void> {
  try {
    unlinkSync(path);
    return ok(undefined);
  } catch (error) {
    return hasCode(error, "ENOENT") ? ok(undefined) : troubleOf("remove", path, error);
  }
}

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

/** The text of a small file of ours; empty for a pipe, a device or something huge. Throws as reading does. */
export function readSmallFile(path: string): string {
  const facts = statSync(path); // to open a pipe would be to wait for its writer
  return facts.isFile() && facts.size <= MAX_BYTES ? readFileSync(path, "utf8") : "";
}

export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

export function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    return;
  }
}

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

export function factsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export function readIfFile(path: string): string | undefined {
  try {
    return isFile(path) ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

export function modifiedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

export function oldestOf(directory: string, names: readonly string[], kept: number): readonly string[] {
  return names
    .map((name) => ({ name, at: modifiedAt(join(directory, name)) ?? 0 }))
    .toSorted((one, other) => other.at - one.at)
    .slice(kept)
    .map(({ name }) => name);
}

export function keepNewest(directory: string, most: number): void {
  const names = namesIn(directory);
  if (names.length <= most) return;
  for (const name of oldestOf(directory, names, most / 2)) discard(join(directory, name));
}

export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

export function renameOver(draft: string, path: string): void {
  renameSync(draft, path);
}

export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/**
 * Only its owner can read it. `mkdirSync` with `recursive` never ends if a file system denies that a parent exists, as `/proc`
 * does (Node 20.20.2).
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

/** In Node 20, `rmSync` takes three times as long; it handles what this cannot. */
export function removeTree(path: string): void {
  try {
    removeDirectory(path);
  } catch {
    rmSync(path, { recursive: true, force: true });
  }
}

export function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (!hasCode(error)) throw error;
  }
}

function removeDirectory(path: string): void {
  if (!lstatSync(path).isDirectory()) return unlinkSync(path);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) removeDirectory(inside);
    else unlinkSync(inside);
  }
  rmdirSync(path);
}

/** Removes what killed writers left. A young draft may be another machine's. */
export function discardOldDrafts(directory: string, names: readonly string[]): void {
  for (const draft of names.filter((name) => name.endsWith(".tmp")).map((name) => join(directory, name)))
    if (now() - (modifiedAt(draft) ?? now()) > DRAFT_MS) discard(draft);
}

const DRAFT_MS = 60_000;

/** Unique across machines. Not a secret. */
export function uniqueName(): string {
  const random = Math.random().toString(36).slice(2);
  return [process.pid, now().toString(36), random].join("-");
}

/** Writes at once, so that nothing is lost when the process ends. A reader that is gone is fine. */
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
