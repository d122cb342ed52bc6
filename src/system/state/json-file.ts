import { parseJson } from "../../json.ts";
import { isAnything, isNumber, isText, objectOf } from "../../shape.ts";
import { ok, type Result } from "../../trouble.ts";
import { now } from "../clock.ts";
import { appendToOwn } from "../files/append.ts";
import { decodeText } from "../files/decode-text.ts";
import { putAside, readBytes, writeFileAtomic } from "../files/files.ts";

export interface Stored<T> {
  readonly value: T;
  readonly warning?: string;
}

/**
 * A state file: a version and small JSON, readable by its owner alone. Each write appends a line, and the last whole one
 * counts: appending is far cheaper than replacing (decision 0102).
 */
export interface JsonFile<T> {
  readonly read: (path: string) => Stored<T | undefined>;
  readonly write: (path: string, value: T) => Result<void>;
}

const DAMAGED = "it is damaged or of another version";
const MAX_BYTES = 16 * 1024 * 1024;
/** Above this the file is replaced: every stop reads all of it. */
const PILED_UP_BYTES = 32 * 1024;
const CLOCK_SLACK_MS = 60_000;

const isEnvelope = objectOf({ version: isNumber, writtenAt: isNumber, state: isAnything }, { hash: isText });

/**
 * A file of another version counts as absent. `fits` checks what a reader would stumble over. `seal` is a hash over the whole
 * state; it is passed in, because most answers load no hash.
 */
export function jsonFile<T>(
  version: number,
  fits: (state: unknown) => boolean,
  seal?: (text: string) => string,
): JsonFile<T> {
  const sealOf = (state: unknown): string | undefined => seal?.(JSON.stringify(state));
  return {
    read: (path) => {
      const bytes = readBytes(path, MAX_BYTES);
      if (!bytes.ok && bytes.trouble.kind === "file-missing") return { value: undefined };
      const ignored = (why: string) => ({
        value: undefined,
        warning: `Ignored the state in ${path}: ${why}.`,
      });
      if (!bytes.ok && bytes.trouble.kind === "file-failed") return ignored(bytes.trouble.detail);
      const line = bytes.ok ? decodeText(lastLine(bytes.value)) : undefined;
      const read = line?.ok ? parseJson(line.text) : undefined;
      if (!isEnvelope(read)) return ignored(DAMAGED);
      if (read.version > version) return ignored("a newer version wrote it");
      if (read.version !== version || !fits(read.state) || read.hash !== sealOf(read.state))
        return ignored(DAMAGED);
      if (read.writtenAt > now() + CLOCK_SLACK_MS) return ignored("it is dated in the future");
      return { value: read.state as T };
    },
    write: (path, state) => {
      const line = `${JSON.stringify({ version, writtenAt: now(), hash: sealOf(state), state })}\n`;
      if (appendToOwn(path, `\n${line}`, PILED_UP_BYTES)) return ok(undefined); // what stands before it may have no end
      const written = writeFileAtomic(path, line, { mode: 0o600 });
      return written.ok || !putAside(path) ? written : writeFileAtomic(path, line, { mode: 0o600 });
    },
  };
}

/** A line without an end was cut off. A file without any line end is one line. */
function lastLine(bytes: Buffer): Buffer {
  let end = bytes.lastIndexOf(NEWLINE);
  if (end === -1) return bytes;
  while (end > 0 && bytes[end - 1] === NEWLINE) end -= 1;
  const whole = bytes.subarray(0, end);
  return whole.subarray(whole.lastIndexOf(NEWLINE) + 1);
}

const NEWLINE = 0x0a;
