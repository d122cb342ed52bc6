import { hasCode } from "../files/errno.ts";
import { copyFileSync, readFileSync, statSync, utimesSync } from "node:fs";
import { once } from "../../once.ts";
import { sha256 } from "#runtime";
import {
  entryCount,
  HIDDEN,
  type IndexEntry,
  isCut,
  nameOf,
  shortensNames,
  SUBMODULE_AT,
  SUBMODULE_BYTE,
  visitEntries,
} from "./index-entries.ts";

/** Entries that need more than `git status`. If the file cannot be read with certainty, they may exist. */
export interface IndexMarks {
  readonly mayHide: boolean;
  readonly mayHoldSubmodule: boolean;
  readonly attributes: readonly string[] | "unknown";
}

const NONE: IndexMarks = { mayHide: false, mayHoldSubmodule: false, attributes: [] };

export function readIndexMarks(path: string): IndexMarks {
  const index = readIndex(path);
  return index === undefined ? NONE : marksIn(index);
}

/** Entries are visited only if needed: a search of the bytes shows at once that no entry is a submodule or has attributes. */
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

function isAttributes({ bytes, start, end }: IndexEntry): boolean {
  const from = end - ATTRIBUTES.length;
  return from >= start && bytes.compare(ATTRIBUTES, 0, ATTRIBUTES.length, from, end) === 0;
}

/**
 * Version 4 stores what differs from the name before: only a neighbour like `.gitattribute` leaves less of it. Searching entry
 * by entry takes long in a large index.
 */
function mayHoldAttributes(index: Buffer): boolean {
  if (!shortensNames(index)) return mayHold(ATTRIBUTES, index);
  return entryCount(index) <= MOST_DECODED || mayHold(SHORTENED, index);
}

const SHORTENED = Buffer.from("attributes");
const MOST_DECODED = 5_000;

/** A split index ("link") may have the entry in its other file. */
function mayHold(bytes: Buffer, index: Buffer): boolean {
  return isCut(index) || index.includes(bytes) || index.includes("link");
}

export function namesBelow(path: string, directory: string, most: number): readonly string[] | undefined {
  const index = readIndex(path);
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

export interface PassIndex {
  readonly path: string;
  readonly hash: string;
  /** The `.gitignore` files that were there and are not in it. */
  readonly ignoreFiles: readonly string[];
}

export function isAsKept({ path, hash }: PassIndex): boolean {
  const index = readIndex(path);
  return index !== undefined && sha256(index) === hash;
}

export function readIndex(path: string): Buffer | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path) : Buffer.alloc(0); // a pipe would be waited for
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    return Buffer.alloc(0); // something is there, but unreadable
  }
}

/**
 * Copies a git index with a time just before its own. git re-reads files that are not older than the index; a newer time would
 * hide an edit made in the same instant as the last `git add`.
 */
export function copyIndex(from: string, to: string): void {
  const stat = statSync(from, { bigint: true, throwIfNoEntry: false });
  if (stat?.isFile() !== true) return; // a pipe would be waited for
  copyFileSync(from, to);
  const justBefore = Number(stat.mtimeNs - 1000n) / 1e9;
  utimesSync(to, justBefore, justBefore);
}
