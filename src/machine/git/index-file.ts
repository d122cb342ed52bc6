import { hasCode } from "../files/errno.ts";
import { copyFileSync, lstatSync, readFileSync, type Stats, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { once } from "../../core/once.ts";
import {
  entryCount,
  HASH_AT,
  HASH_BYTES,
  HIDDEN,
  type IndexEntry,
  INODE_AT,
  isCut,
  MODE_AT,
  MODIFIED_AT,
  nameOf,
  shortensNames,
  SIZE_AT,
  visitEntries,
} from "./index-entries.ts";

/** Entries of a git index that need more than the usual look. Where the file is not read with certainty, they may be there. */
export interface IndexMarks {
  /** Files git is set to ignore changes of. */
  readonly mayHide: boolean;
  readonly mayHoldSubmodule: boolean;
  /** The files that say how git treats others. */
  readonly attributes: readonly string[] | "unknown";
}

const NONE: IndexMarks = { mayHide: false, mayHoldSubmodule: false, attributes: [] };

/** Reads the marks straight from the file, because asking git costs a process. */
export function readIndexMarks(path: string): IndexMarks {
  const index = readIfThere(path);
  return index === undefined ? NONE : marksIn(index);
}

/**
 * Every entry is looked at when that is needed: that none has attributes and none is a submodule, which must be known before git is
 * asked, is told at once.
 */
export function marksIn(index: Buffer): IndexMarks {
  const entries = once(() => markedEntries(index));
  return {
    get mayHide() {
      return entries().mayHide;
    },
    get mayHoldSubmodule() {
      return mayHold(SUBMODULE_BYTES, index) && entries().mayHoldSubmodule;
    },
    get attributes() {
      return mayHoldAttributes(index) ? entries().attributes : [];
    },
  };
}

function markedEntries(index: Buffer): IndexMarks {
  let { mayHide, mayHoldSubmodule } = NONE;
  const attributes: string[] = [];
  const isUnderstood = visitEntries(index, (entry) => {
    mayHide ||= (entry.flags & HIDDEN) !== 0;
    mayHoldSubmodule ||= index[entry.at + SUBMODULE_AT] === SUBMODULE_BYTE;
    if (entry.bytes[entry.end - ATTRIBUTES.length] === DOT && isAttributes(entry))
      attributes.push(nameOf(entry));
  });
  return isUnderstood
    ? { mayHide, mayHoldSubmodule, attributes }
    : { mayHide: true, mayHoldSubmodule: mayHold(SUBMODULE_BYTES, index), attributes: "unknown" };
}

const ATTRIBUTES = Buffer.from(".gitattributes");
const DOT = 0x2e;
const SUBMODULE_BYTES = Buffer.from([0x00, 0x00, 0xe0, 0x00]);
/** The byte that tells the mode of a submodule from that of a file (0x81) and of a link (0xa0). */
const SUBMODULE_BYTE = 0xe0;
const SUBMODULE_AT = MODE_AT + 2;

function isAttributes({ bytes, start, end }: IndexEntry): boolean {
  const from = end - ATTRIBUTES.length;
  return from >= start && bytes.compare(ATTRIBUTES, 0, ATTRIBUTES.length, from, end) === 0;
}

/** Where names are shortened, only a neighbour like `.gitattribute` leaves less of it; to look for that takes long in a large index. */
function mayHoldAttributes(index: Buffer): boolean {
  if (!shortensNames(index)) return mayHold(ATTRIBUTES, index);
  return entryCount(index) <= MOST_DECODED || mayHold(SHORTENED, index);
}

const SHORTENED = Buffer.from("attributes");
const MOST_DECODED = 5_000;

/** Every format writes a submodule's mode the same way, but a split index may have it in its other file. */
function mayHold(bytes: Buffer, index: Buffer): boolean {
  return isCut(index) || index.includes(bytes) || index.includes("link");
}

/** Up to `most` names below a directory, from the top; undefined where the file is not read with certainty. */
export function namesBelow(path: string, directory: string, most: number): readonly string[] | undefined {
  const index = readIfThere(path);
  if (index === undefined) return [];
  const start = Buffer.from(`${directory}/`);
  const names: string[] = [];
  const isUnderstood = visitEntries(index, (entry) => {
    if (names.length === most) return;
    const { bytes, start: from, end } = entry;
    if (bytes.subarray(from, Math.min(from + start.length, end)).equals(start)) names.push(nameOf(entry));
  });
  return isUnderstood ? names : undefined;
}

/** More files are quicker looked at by git. */
const MOST_FILES = 1_000;
const FILE = 0o100000;
const FILE_TYPE = 0o170000;

/**
 * Whether some file below `top` is not what the index has: gone, of another size, or changed with its old time put back, which
 * git may not notice within one second. A quick no, never a yes.
 */
export function hasOtherFacts(index: Buffer, top: string): boolean {
  if (entryCount(index) > MOST_FILES) return false;
  let isOther = false;
  const isUnderstood = visitEntries(index, (entry) => {
    const { at, flags } = entry;
    const size = index.readUInt32BE(at + SIZE_AT);
    const isFile = (index.readUInt32BE(at + MODE_AT) & FILE_TYPE) === FILE;
    const isComparable = isFile && size !== 0 && (flags & HIDDEN) === 0; // 0 is also git's mark for "look closer"
    if (isOther || !isComparable) return;
    const name = nameOf(entry);
    if (name.includes("\uFFFD")) return; // a name that is no text only git can find
    const facts = factsOf(join(top, name));
    const hasOldTime = facts?.mtimeMs === timeAt(index, at + MODIFIED_AT);
    isOther =
      facts === undefined ||
      facts.size % 2 ** 32 !== size ||
      (hasOldTime && facts.ctimeMs !== timeAt(index, at));
  });
  return isUnderstood && isOther;
}

/** More are quicker looked at by git. */
const MOST_TIMED = 5_000;

/** What a look at the files themselves tells. */
interface TouchedFiles {
  readonly names: readonly string[];
  /** Whether git would name no other. */
  readonly isAll: boolean;
}

/**
 * Files that are gone or were written since the index was, by the same facts that git goes by, times to the microsecond: git itself
 * may compare whole seconds. Only git can tell all of them where the index is not read with certainty, has too many entries, or was
 * written in the same instant as a file.
 */
export function filesTouchedSince(path: string, top: string): TouchedFiles {
  const index = readIfThere(path);
  const writtenAt = factsOf(path)?.mtimeMs ?? 0;
  if (index === undefined || entryCount(index) > MOST_TIMED) return { names: [], isAll: false };
  const names: string[] = [];
  let isAll = true;
  const isUnderstood = visitEntries(index, (entry) => {
    const { at, flags } = entry;
    const name = nameOf(entry);
    const facts = factsOf(join(top, name));
    const isDoubtful = timeAt(index, at + MODIFIED_AT) >= writtenAt || isMarked(index, at);
    const isSubmodule = index[at + SUBMODULE_AT] === SUBMODULE_BYTE;
    if (isDoubtful || isSubmodule || name.includes("\uFFFD")) isAll = false;
    else if (facts === undefined)
      names.push(...((flags & HIDDEN) === 0 ? [name] : [])); // what a sparse checkout leaves out was never there
    else if (isTouched(index, at, facts)) names.push(name);
  });
  return isUnderstood ? { names, isAll } : { names: [], isAll: false };
}

const EMPTY = Buffer.from("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "hex");

/** No size is git's mark for "look closer", unless there is no content. */
function isMarked(index: Buffer, at: number): boolean {
  return (
    index.readUInt32BE(at + SIZE_AT) === 0 &&
    index.compare(EMPTY, 0, HASH_BYTES, at + HASH_AT, at + HASH_AT + HASH_BYTES) !== 0
  );
}

function isTouched(index: Buffer, at: number, facts: Stats): boolean {
  return (
    facts.ctimeMs !== timeAt(index, at) ||
    facts.mtimeMs !== timeAt(index, at + MODIFIED_AT) ||
    (Number.isSafeInteger(facts.ino) && facts.ino % 2 ** 32 !== index.readUInt32BE(at + INODE_AT)) ||
    facts.size % 2 ** 32 !== index.readUInt32BE(at + SIZE_AT)
  );
}

/** Undefined for a file that is gone or cannot be reached any more. */
function factsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A time of an index in milliseconds, as a look at a file has it: to a quarter of a microsecond, which no two changes share. */
function timeAt(index: Buffer, at: number): number {
  return index.readUInt32BE(at) * 1000 + index.readUInt32BE(at + 4) / 1e6;
}

export function readIfThere(path: string): Buffer | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path) : Buffer.alloc(0); // a pipe would be waited for
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    return Buffer.alloc(0); // something is there, but unreadable
  }
}

/**
 * Copies a git index, if there is one, with a time just before its own. git compares that time with those of
 * the files to tell which need a second look; a newer one would hide an edit made in the same instant as the last `git add`.
 */
export function copyIndex(from: string, to: string): void {
  const stat = statSync(from, { bigint: true, throwIfNoEntry: false });
  if (stat?.isFile() !== true) return; // a pipe would be waited for
  copyFileSync(from, to);
  const justBefore = Number(stat.mtimeNs - 1000n) / 1e9;
  utimesSync(to, justBefore, justBefore);
}
