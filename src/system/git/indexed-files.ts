import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import { sha1 } from "#runtime";
import { once } from "../../once.ts";
import { factsOf, readBytes } from "../files/files.ts";
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

interface IndexedFile {
  readonly path: string;
  readonly at: number;
  readonly isFile: boolean;
  readonly isHidden: boolean;
  readonly size: number;
  readonly inode: number;
  readonly changedAt: number;
  readonly modifiedAt: number;
}

export interface Wanted {
  readonly top: string;
  readonly writtenAt: number;
  readonly names?: ReadonlySet<string>;
  readonly sinceSecond?: number;
}

interface TouchedFiles {
  readonly names: readonly string[];
  readonly isAll: boolean;
}

/**
 * The files of an index, to be compared with those on disk as git does, but with times to the microsecond: git itself may
 * compare whole seconds.
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

  /**
   * Undefined if the index is not understood. Submodules, names that are not UTF-8 and entries that git has marked are left to
   * git.
   */
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

  get isWhole(): boolean {
    return this.#files.size === entryCount(this.#index);
  }

  /**
   * Files that are gone or were written since. If the index was written in the same instant as a file, only git can tell all of
   * them.
   */
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
   * Whether a file surely has other content: it is gone, has another size, or got its old time back, which git may miss within
   * one second.
   */
  areOther(names: readonly string[]): boolean {
    return names.some((name) => {
      const file = this.#files.get(name);
      if (file === undefined || !file.isFile || file.size === 0) return false;
      const facts = factsOf(file.path);
      return isResized(file, facts) || facts?.mtimeMs === file.modifiedAt;
    });
  }

  resized(names: readonly string[]): readonly string[] {
    return names.filter((name) => {
      const file = this.#files.get(name);
      const facts = file?.isFile ? factsOf(file.path) : undefined;
      return file !== undefined && facts !== undefined && isResized(file, facts);
    });
  }

  idOf(name: string): string | undefined {
    const file = this.#files.get(name);
    return file && this.#index.toString("hex", file.at + HASH_AT, file.at + HASH_AT + HASH_BYTES);
  }

  /**
   * Of files that git stores as before, those whose bytes may differ. They surely do not if the bytes are what git stores and
   * the size is the old one: a conversion changes the size.
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

/** Size 0 with content is git's mark for "read this file again". */
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

const MOST_BYTES = 100 * 1024 * 1024;

function blobId(path: string): string | undefined {
  const bytes = readBytes(path, MOST_BYTES);
  if (!bytes.ok) return undefined;
  return sha1(Buffer.concat([Buffer.from(`blob ${bytes.value.length}\0`), bytes.value]));
}

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
