import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Result } from "../core/trouble.ts";
import { fail, ok } from "../core/trouble.ts";
import { decodeText } from "./decode-text.ts";
import { uniqueName } from "./unique-name.ts";

/** Far above any file a person writes, far below what memory minds. */
const DEFAULT_MAX_BYTES = 1024 * 1024;

/** The bytes of a regular file; a directory, pipe or device in its place is trouble, never a wait. */
export function readBytes(path: string, maxBytes = DEFAULT_MAX_BYTES): Result<Buffer> {
  try {
    const facts = statSync(path);
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
export function writeFileAtomic(path: string, content: string | Uint8Array): Result<void> {
  const draft = `${path}.${uniqueName()}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(draft, content, { flag: "wx" });
    renameSync(draft, path);
    return ok(undefined);
  } catch (error) {
    removeFile(draft);
    return troubleOf("write", path, error);
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
    const isGone = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isGone ? ok(undefined) : troubleOf("remove", path, error);
  }
}

/** An errno in words; anything that is not one is a bug and travels on. */
export function troubleOf(action: string, path: string, error: unknown): ReturnType<typeof fail> {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
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
