import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import {
  chown,
  lstat,
  mkdir,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
} from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fail, ok, type Result } from "../core/trouble.ts";

/** The text of a file that belongs to a person; undefined where there is none. Bytes that are not UTF-8 would not survive an edit. */
export async function readUserFile(path: string): Promise<Result<string | undefined>> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path));
    return ok(text);
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? ok(undefined) : failed("read", path, error);
  }
}

/** Writes a file whole or not at all. Through a symbolic link, with the mode and owner the file had. */
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
    return failed("write", path, error);
  }
}

/** Writes a file only where there is none; false when there is. */
export async function createUserFile(path: string, text: string): Promise<Result<boolean>> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await using file = await open(path, "wx");
    await file.writeFile(text);
    return ok(true);
  } catch (error) {
    return errnoOf(error) === "EEXIST" ? ok(false) : failed("create", path, error);
  }
}

/** Removes a file, and its directory if that leaves it empty. */
export async function removeUserFile(path: string): Promise<Result<undefined>> {
  try {
    await unlink(await followLinks(path));
    await rmdir(dirname(path)).catch(() => undefined);
    return ok(undefined);
  } catch (error) {
    return failed("remove", path, error);
  }
}

const MAX_LINKS = 40;

/** Like `realpath`, but also where the last link leads to a file that is not there yet. */
async function followLinks(path: string, depth = 0): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() !== true || depth > MAX_LINKS) return path;
  const target = resolve(await realpath(dirname(path)), await readlink(path));
  return followLinks(target, depth + 1);
}

async function writeLike(path: string, text: string, model: Stats | undefined): Promise<void> {
  await using file = await open(path, "wx", model?.mode ?? 0o666);
  await file.writeFile(text);
  if (model !== undefined) {
    await chown(path, model.uid, model.gid).catch(() => undefined);
    await file.chmod(model.mode);
  }
  await file.sync();
}

function failed(action: string, path: string, error: unknown): ReturnType<typeof fail> {
  const detail = error instanceof Error ? error.message : String(error);
  return fail({ kind: "file-failed", action, path, detail });
}

function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
