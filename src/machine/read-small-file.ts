import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

const MAX_BYTES = 1024 * 1024;
const NEVER_WAIT = constants.O_NONBLOCK ?? 0;

/**
 * The text of a small file of ours; nothing when a pipe, a device or something huge is in its place. Never waits: a pipe
 * put there by somebody would hold a plain read for ever. Throws as reading does.
 */
export function readSmallFile(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | NEVER_WAIT);
  try {
    const facts = fstatSync(fd);
    return facts.isFile() && facts.size <= MAX_BYTES ? readFileSync(fd, "utf8") : "";
  } finally {
    closeSync(fd);
  }
}
