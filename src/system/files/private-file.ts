import { hasCode } from "./errno.ts";
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { fail, ok, type Result } from "../../trouble.ts";
import { tmpdir } from "node:os";
import { NEVER_WAIT, troubleOf, writeFileAtomic } from "./files.ts";

const MAX_BYTES = 1024 * 1024;
const NEVER_FOLLOW = constants.O_NOFOLLOW ?? 0;

export function sharedTempDir(): string {
  return statSync("/tmp", { throwIfNoEntry: false })?.isDirectory() ? "/tmp" : tmpdir();
}

/** For a world-writable directory: undefined if missing, trouble if it is not ours. */
export function readPrivateFile(path: string): Result<string | undefined> {
  try {
    const fd = openSync(path, constants.O_RDONLY | NEVER_FOLLOW | NEVER_WAIT);
    try {
      const stranger = reasonToDistrust(fd);
      if (stranger !== undefined)
        return fail({ kind: "file-failed", action: "trust", path, detail: stranger });
      return ok(readFileSync(fd, "utf8"));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return hasCode(error, "ENOENT") ? ok(undefined) : troubleOf("read", path, error);
  }
}

/** A link in its place is replaced, not followed. */
export function writePrivateFile(path: string, text: string): Result<void> {
  return writeFileAtomic(path, text, { mode: 0o600 });
}

function reasonToDistrust(fd: number): string | undefined {
  const { uid, size } = fstatSync(fd);
  if (!fstatSync(fd).isFile()) return "it is not a file";
  if (process.getuid !== undefined && uid !== process.getuid()) return "it belongs to someone else";
  return size > MAX_BYTES ? "it is too large to be ours" : undefined;
}
