import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { hasCode } from "./errno.ts";
import { NEVER_WAIT } from "./files.ts";

export const APPEND = constants.O_WRONLY | constants.O_APPEND | NEVER_WAIT | (constants.O_NOFOLLOW ?? 0);

/**
 * Appends to a file of ours, in one write. False if the file is missing, has another name, may be read by others or would grow
 * too large, or if not everything could be written.
 */
export function appendToOwn(path: string, text: string, maxBytes: number): boolean {
  try {
    const fd = openSync(path, APPEND);
    try {
      const bytes = Buffer.from(text);
      const { size, mode, nlink } = fstatSync(fd);
      const isOwn = (mode & ~0o700) === constants.S_IFREG && nlink === 1;
      return isOwn && size + bytes.length <= maxBytes && writeSync(fd, bytes) === bytes.length;
    } finally {
      closeSync(fd); // where some file systems say that the disk is full
    }
  } catch (error) {
    if (!hasCode(error)) throw error;
    return false;
  }
}
