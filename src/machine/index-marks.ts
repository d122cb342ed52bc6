import { readFileSync } from "node:fs";

/** Entries of a git index that need more than the usual look. Where the file cannot be read with certainty, both may be there. */
export interface IndexMarks {
  /** Files git was told not to look at. */
  readonly mayHide: boolean;
  readonly mayHoldSubmodule: boolean;
}

const NONE: IndexMarks = { mayHide: false, mayHoldSubmodule: false };
const UNKNOWN: IndexMarks = { mayHide: true, mayHoldSubmodule: true };

/**
 * Reads the marks straight from the file, because asking git costs a process. Follows gitformat-index for versions 2 and 3 with
 * SHA-1, to the last byte: whatever does not add up is left for git to tell.
 */
export function readIndexMarks(path: string): IndexMarks {
  try {
    return marksIn(readFileSync(path)) ?? UNKNOWN;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? NONE : UNKNOWN;
  }
}

const HEADER_BYTES = 12;
const MODE_AT = 24;
const FLAGS_AT = 60;
const HASH_BYTES = 20;
const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const NAME_LENGTH = 0x0fff;
const SKIP_WORKTREE = 0x4000;
const SUBMODULE = 0o160000;

function marksIn(index: Buffer): IndexMarks | undefined {
  const version = index.readUInt32BE(4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || (version !== 2 && version !== 3)) return undefined;
  let mayHide = false;
  let mayHoldSubmodule = false;
  let at = HEADER_BYTES;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flags = index.readUInt16BE(at + FLAGS_AT);
    const isExtended = (flags & EXTENDED) !== 0;
    if ((flags & ASSUME_VALID) !== 0) mayHide = true;
    if (isExtended && (index.readUInt16BE(at + FLAGS_AT + 2) & SKIP_WORKTREE) !== 0) mayHide = true;
    if (index.readUInt32BE(at + MODE_AT) === SUBMODULE) mayHoldSubmodule = true;
    const nameAt = at + FLAGS_AT + (isExtended ? 4 : 2);
    const length = flags & NAME_LENGTH;
    const nameEnd = length < NAME_LENGTH ? nameAt + length : index.indexOf(0, nameAt + length);
    if (index[nameEnd] !== 0) return undefined;
    at += (nameEnd - at + 8) & ~7;
  }
  return endsWell(index, at) ? { mayHide, mayHoldSubmodule } : undefined;
}

/** After the entries come extensions and a checksum. One whose name starts with a small letter changes what the entries mean. */
function endsWell(index: Buffer, entriesEnd: number): boolean {
  const end = index.length - HASH_BYTES;
  let at = entriesEnd;
  while (at < end) {
    if (index.readUInt8(at) > "Z".charCodeAt(0)) return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
}
