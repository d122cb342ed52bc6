import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fsyncSync, openSync, type Stats, writeFileSync } from "node:fs";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
} from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fail, ok, type Result } from "../../trouble.ts";
import { decodeText } from "./decode-text.ts";
import { hasCode } from "./errno.ts";
import { readBytes, troubleOf } from "./files.ts";

/** With its byte order mark; undefined if missing. Bytes that are not UTF-8 would not survive an edit, so they are an error. */
export async function readUserFile(path: string): Promise<Result<string | undefined>> {
  const bytes = readBytes(path);
  if (!bytes.ok) return bytes.trouble.kind === "file-missing" ? ok(undefined) : bytes;
  const decoded = decodeText(bytes.value);
  if (!decoded.ok) return fail({ kind: "text-invalid", path, ...decoded.problem });
  return ok(bytes.value.toString("utf8"));
}

/** Whole or not at all, through a symbolic link, with the mode and owner that the file had. */
export async function replaceUserFile(path: string, text: string): Promise<Result<undefined>> {
  try {
    const target = await followLinks(path);
    const before = await stat(target).catch(() => undefined);
    await mkdir(dirname(target), { recursive: true });
    const staged = `${target}.${randomBytes(6).toString("hex")}.tmp`;
    try {
      await writeLike(staged, text, before);
      await rename(staged, target);
    } finally {
      await rm(staged, { force: true });
    }
    return ok(undefined);
  } catch (error) {
    return troubleOf("write", path, error);
  }
}

export async function makeExecutable(path: string): Promise<Result<undefined>> {
  try {
    const { mode } = await stat(path);
    await chmod(path, mode | ((mode & 0o444) >> 2));
    return ok(undefined);
  } catch (error) {
    return troubleOf("make executable", path, error);
  }
}

export async function createUserFile(path: string, text: string): Promise<Result<boolean>> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = openNew(path);
    if (file === undefined) return ok(false);
    try {
      writeFileSync(file, text);
    } catch (error) {
      await unlink(path); // half a file must not be taken for the user's
      throw error;
    } finally {
      closeSync(file);
    }
    return ok(true);
  } catch (error) {
    return troubleOf("write", path, error);
  }
}

function openNew(path: string): number | undefined {
  try {
    return openSync(path, "wx");
  } catch (error) {
    if (hasCode(error, "EEXIST")) return undefined;
    throw error;
  }
}

export async function removeUserFile(path: string): Promise<Result<undefined>> {
  try {
    await unlink(await followLinks(path));
    await rmdir(dirname(path)).catch(() => undefined);
    return ok(undefined);
  } catch (error) {
    return troubleOf("remove", path, error);
  }
}

const MAX_LINKS = 40;

/** Like `realpath`, but the last link may lead to a missing file. */
async function followLinks(path: string, depth = 0): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() !== true) return path;
  if (depth > MAX_LINKS) return realpath(path);
  const target = resolve(await realpath(dirname(path)), await readlink(path));
  return followLinks(target, depth + 1);
}

/** No `FileHandle`: that of yarn's Plug'n'Play (4.18.1, 2026-11-16) can neither be disposed of nor synced. */
async function writeLike(path: string, text: string, model: Stats | undefined): Promise<void> {
  const file = openSync(path, "wx", model?.mode ?? 0o666);
  try {
    writeFileSync(file, text);
    if (model !== undefined) {
      await chown(path, model.uid, model.gid).catch(() => undefined);
      fchmodSync(file, model.mode);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
