import { lstatSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { sha1 } from "#runtime";
import { once } from "../../once.ts";
import { readBytes } from "../files/files.ts";
import {
  entryCount,
  HASH_AT,
  HASH_BYTES,
  HIDDEN,
  type IndexEntry,
  INODE_AT,
  isFileAt,
  MODIFIED_AT,
  nameOf,
  SIZE_AT,
  SUBMODULE_AT,
  SUBMODULE_BYTE,
  visitEntries,
} from "./index-entries.ts";

/** What an index says of a file or link. */
interface IndexedFile {
  readonly path: string;
  /** Where its entry begins. */
  readonly at: number;
  /** Not a link. */
  readonly isFile: boolean;
  readonly isHidden: boolean;
  readonly size: number;
  readonly inode: number;
  readonly changedAt: number;
  readonly modifiedAt: number;
}

/** What of an index is wanted: all that it has, unless something else is said. */
export interface Wanted {
  readonly top: string;
  /** When the index was written, in milliseconds since the epoch. */
  readonly writtenAt: number;
  readonly names?: ReadonlySet<string>;
  /** Only what was modified in this second, since the epoch, or later. */
  readonly sinceSecond?: number;
}

/** What a look at the files themselves tells. */
interface TouchedFiles {
  readonly names: readonly string[];
  /** Whether git would name no other. */
  readonly isAll: boolean;
}

/**
 * The files of an index, to be compared with those of the work tree as often as needed: by the facts that git goes by, times to the
 * microsecond. Git itself may compare whole seconds.
 */
export class IndexedFiles {
  readonly #index: Buffer;
  readonly #top: string;
  readonly #files: ReadonlyMap<string, IndexedFile>;
  readonly #writtenAt: number;

  private constructor(index: Buffer, files: ReadonlyMap<string, IndexedFile>, { top, writtenAt }: Wanted) {
    this.#index = index;
    this.#top = top;
    this.#files = files;
    this.#writtenAt = writtenAt;
  }

  /** Undefined where the index is not read with certainty. Submodules, names that are no text, and what git has marked are left to git. */
  static of(index: Buffer, wanted: Wanted): IndexedFiles | undefined {
    const { top, names, sinceSecond = 0 } = wanted;
    const files = new Map<string, IndexedFile>();
    const isUnderstood = visitEntries(index, (entry) => {
      if (index.readUInt32BE(entry.at + MODIFIED_AT) < sinceSecond || !isForUs(index, entry)) return;
      const name = nameOf(entry);
      if (name.includes("\uFFFD") || names?.has(name) === false) return;
      files.set(name, read(index, entry, join(top, name)));
    });
    return isUnderstood ? new IndexedFiles(index, files, wanted) : undefined;
  }

  /** Whether they are all that the index has. */
  get isWhole(): boolean {
    return this.#files.size === entryCount(this.#index);
  }

  /** Files that are gone or were written since. Only git can tell all of them where the index was written in the same instant as a file. */
  touched(): TouchedFiles {
    const names: string[] = [];
    let isAll = this.isWhole;
    for (const [name, file] of this.#files) {
      const facts = factsOf(file.path);
      if (facts === undefined)
        names.push(...(file.isHidden ? [] : [name])); // what a sparse checkout leaves out was never there
      else if (isTouched(file, facts)) names.push(name);
      else if (file.modifiedAt >= this.#writtenAt) isAll = false;
    }
    return { names, isAll };
  }

  /**
   * Whether one of these files is sure to have another content: it is gone, of another size, or has its old time back, which git may
   * not notice within one second. A quick no, never a yes.
   */
  areOther(names: readonly string[]): boolean {
    return names.some((name) => {
      const file = this.#files.get(name);
      if (file === undefined || !file.isFile || file.size === 0) return false;
      const facts = factsOf(file.path);
      return isResized(file, facts) || facts?.mtimeMs === file.modifiedAt;
    });
  }

  /** Those of these files that are not as large as they were: git may keep the same of both. */
  resized(names: readonly string[]): readonly string[] {
    return names.filter((name) => {
      const file = this.#files.get(name);
      const facts = file?.isFile ? factsOf(file.path) : undefined;
      return file !== undefined && facts !== undefined && isResized(file, facts);
    });
  }

  /** The id of what git keeps of a file. */
  idOf(name: string): string | undefined {
    const file = this.#files.get(name);
    return file && this.#index.toString("hex", file.at + HASH_AT, file.at + HASH_AT + HASH_BYTES);
  }

  /**
   * Of files of which git keeps the same as then, those that may have other bytes all the same. They have the same for sure where they
   * are what git keeps, byte by byte, and were as large before: what git converts has another size than what it keeps.
   */
  rewritten(names: readonly string[]): readonly string[] {
    return names.filter((name) => {
      const file = this.#files.get(name);
      if (file === undefined) return true;
      const isSame =
        !file.isFile || (!isResized(file, factsOf(file.path)) && blobId(file.path) === this.idOf(name));
      return !isSame;
    });
  }

  /** When something came or went last in each directory that holds one of the files. */
  directoryTimes(): string {
    return this.#directories()
      .map((path) => factsOf(path)?.ctimeMs)
      .join();
  }

  readonly #directories = once((): readonly string[] => {
    const names = new Set(["."]);
    for (const name of this.#files.keys())
      for (let at = dirname(name); !names.has(at); at = dirname(at)) names.add(at);
    return [...names].map((name) => join(this.#top, name));
  });
}

function isForUs(index: Buffer, { at }: IndexEntry): boolean {
  return index[at + SUBMODULE_AT] !== SUBMODULE_BYTE && !isMarked(index, at);
}

const EMPTY = Buffer.from("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "hex");

/** No size is git's mark for "look closer", unless there is no content. */
function isMarked(index: Buffer, at: number): boolean {
  return (
    index.readUInt32BE(at + SIZE_AT) === 0 &&
    index.compare(EMPTY, 0, HASH_BYTES, at + HASH_AT, at + HASH_AT + HASH_BYTES) !== 0
  );
}

function read(index: Buffer, { at, flags }: IndexEntry, path: string): IndexedFile {
  return {
    path,
    at,
    isFile: isFileAt(index, at),
    isHidden: (flags & HIDDEN) !== 0,
    size: index.readUInt32BE(at + SIZE_AT),
    inode: index.readUInt32BE(at + INODE_AT),
    changedAt: timeAt(index, at),
    modifiedAt: timeAt(index, at + MODIFIED_AT),
  };
}

/** More would take longer to read than many gates. */
const MOST_BYTES = 100 * 1024 * 1024;

/** The id that git would give the bytes of a file; undefined where they cannot be read. */
function blobId(path: string): string | undefined {
  const bytes = readBytes(path, MOST_BYTES);
  if (!bytes.ok) return undefined;
  return sha1(Buffer.concat([Buffer.from(`blob ${bytes.value.length}\0`), bytes.value]));
}

/** A time of an index in milliseconds, as a look at a file has it: to a quarter of a microsecond, which no two changes share. */
function timeAt(index: Buffer, at: number): number {
  return index.readUInt32BE(at) * 1000 + index.readUInt32BE(at + 4) / 1e6;
}

function isTouched(file: IndexedFile, facts: Stats): boolean {
  return (
    facts.ctimeMs !== file.changedAt ||
    facts.mtimeMs !== file.modifiedAt ||
    (Number.isSafeInteger(facts.ino) && facts.ino % 2 ** 32 !== file.inode) ||
    isResized(file, facts)
  );
}

function isResized(file: IndexedFile, facts: Stats | undefined): boolean {
  return facts === undefined || facts.size % 2 ** 32 !== file.size;
}

/** Undefined for a file that is gone or cannot be reached any more. */
export function factsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
