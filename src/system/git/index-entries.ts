/** Where an entry has what, from its beginning: the second of its times, and what a look at the file told. */
export const MODIFIED_AT = 8;
export const INODE_AT = 20;
export const MODE_AT = 24;
export const SIZE_AT = 36;
export const HASH_AT = 40;
const FLAGS_AT = 60;

/** The byte that tells the mode of a submodule from that of a file (0x81) and of a link (0xa0). */
export const SUBMODULE_AT = MODE_AT + 2;
export const SUBMODULE_BYTE = 0xe0;

const FILE = 0o100000;
const FILE_TYPE = 0o170000;

/** Not a link or a submodule. */
export function isFileAt(index: Buffer, at: number): boolean {
  return (index.readUInt32BE(at + MODE_AT) & FILE_TYPE) === FILE;
}

export const HASH_BYTES = 20;
const HEADER_BYTES = 12;
const VERSION_AT = 4;
/** The version that shortens names. */
const SHORTENING = 4;

const EXTENDED = 0x4000;
const NAME_LENGTH = 0x0fff;
/** Longer ones no system could open. */
const LONGEST_NAME = 0x10000;
/** Assumed to be unchanged, or skipped in the work tree. */
export const HIDDEN = 0x8000 | (0x4000 << 16);
/** In conflict, or only meant to be added: not in the tree as it stands here. */
export const UNSTAGED = 0x3000 | (0x2000 << 16);

/** One entry of an index. The same object is used for all of them, because there may be a hundred thousand. */
export interface IndexEntry {
  /** Where it begins in the index. */
  at: number;
  /** The extended ones above the others. */
  flags: number;
  /** Its name: from `start` to `end` of `bytes`, which is the index itself or, where that shortens names, a copy. */
  bytes: Buffer;
  start: number;
  end: number;
}

/**
 * Visits every entry. False when the file is not one to be sure of. Follows gitformat-index for versions 2 to 4 with SHA-1, to the
 * last byte: whatever does not add up is left for git to tell.
 */
export function visitEntries(index: Buffer, visit: (entry: IndexEntry) => void): boolean {
  try {
    const version = index.readUInt32BE(VERSION_AT);
    if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > SHORTENING) return false;
    const readName = shortensNames(index) ? readShortened : readWhole;
    const entry: IndexEntry = { at: HEADER_BYTES, flags: 0, bytes: index, start: 0, end: 0 };
    for (let left = entryCount(index); left > 0; left--) {
      const short = index.readUInt16BE(entry.at + FLAGS_AT);
      const isLong = (short & EXTENDED) !== 0;
      entry.flags = isLong ? short | (index.readUInt16BE(entry.at + FLAGS_AT + 2) << 16) : short;
      const next = readName(index, entry, entry.at + (isLong ? FLAGS_AT + 4 : FLAGS_AT + 2));
      if (next === undefined) return false;
      visit(entry);
      entry.at = next;
    }
    return endsWell(index, entry.at);
  } catch (error) {
    if (error instanceof RangeError) return false; // it ends too early
    throw error;
  }
}

/** Reads the name at `from` into the entry; returns where the next entry begins. */
function readWhole(index: Buffer, entry: IndexEntry, from: number): number | undefined {
  const length = entry.flags & NAME_LENGTH;
  const past = from + length;
  entry.start = from;
  entry.end = length < NAME_LENGTH ? past : index.indexOf(0, past);
  return index[entry.end] === 0 ? entry.at + ((entry.end - entry.at + 8) & ~7) : undefined;
}

/** The same where a name is the one before without its last bytes, whose number comes first, and with others. */
function readShortened(index: Buffer, entry: IndexEntry, from: number): number | undefined {
  let at = from;
  let byte = index.readUInt8(at++);
  let removed = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = index.readUInt8(at++);
    removed = (removed + 1) * 0x80 + (byte & 0x7f);
  }
  const kept = entry.end - removed;
  const length = entry.flags & NAME_LENGTH;
  const past = length < NAME_LENGTH ? at + length - kept : index.indexOf(0, at);
  const end = kept + past - at;
  if (entry.bytes === index) entry.bytes = Buffer.alloc(LONGEST_NAME);
  if (kept < 0 || past < at || end > LONGEST_NAME || index[past] !== 0) return undefined;
  const { bytes } = entry;
  for (let to = kept; to < end; to++, at++) bytes[to] = index[at] ?? 0; // copies a few bytes faster than a call
  entry.end = end;
  return past + 1;
}

/** The name as text; what is no text has U+FFFD in it. */
export function nameOf({ bytes, start, end }: IndexEntry): string {
  return bytes.toString("utf8", start, end);
}

/** Whether it is too short to say anything. */
export function isCut(index: Buffer): boolean {
  return index.length < HEADER_BYTES;
}

/** Whether a name may be stored as what differs from the one before: a single letter, maybe. */
export function shortensNames(index: Buffer): boolean {
  return !isCut(index) && index.readUInt32BE(VERSION_AT) === SHORTENING;
}

export function entryCount(index: Buffer): number {
  return isCut(index) ? 0 : index.readUInt32BE(8);
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
