import { lstatSync, writeFileSync } from "node:fs";

/** More than the clock of any file system that keeps fractions of a second ticks in; FAT keeps every other second. */
const TICK_MS = 50;
const COARSE_TICK_MS = 2_000;

const GONE = { ino: 0, mode: 0, size: 0, mtimeMs: 0, ctimeMs: 0 };
const FACTS = 5;

/**
 * Remembers identity, mode, size and times of many files and directories. As long as they are the same, no file was written and
 * nothing in such a directory was made, renamed or removed: no program can set the time of an entry's last change (ctime).
 * Comparing 2,300 entries takes 4 ms; without it git examines the checkout between two gates, which takes 19.
 */
export class FileMarks {
  readonly #paths: readonly string[];
  readonly #facts: Float64Array;
  /** When the last of them was changed, by the clock of the file system. */
  #newestMs = 0;

  constructor(paths: readonly string[]) {
    this.#paths = paths;
    this.#facts = new Float64Array(paths.length * FACTS);
    for (const [index, path] of paths.entries()) {
      const { ino, mode, size, mtimeMs, ctimeMs } = factsOf(path);
      this.#facts.set([ino, mode, size, mtimeMs, ctimeMs], index * FACTS);
      this.#newestMs = Math.max(this.#newestMs, mtimeMs, ctimeMs);
    }
  }

  areSame(): boolean {
    const facts = this.#facts;
    return this.#paths.every((path, index) => {
      const at = index * FACTS;
      const { ino, mode, size, mtimeMs, ctimeMs } = factsOf(path);
      if (ino !== facts[at] || mode !== facts[at + 1] || size !== facts[at + 2]) return false;
      return mtimeMs === facts[at + 3] && ctimeMs === facts[at + 4];
    });
  }

  /** Whether the next change will show: two changes within one tick of the clock have the same time. Writes a file to read the clock. */
  areSettled(clockFile: string): boolean {
    writeFileSync(clockFile, "");
    const { mtimeMs } = lstatSync(clockFile);
    const tickMs = Number.isInteger(mtimeMs / 1000) ? COARSE_TICK_MS : TICK_MS;
    return this.#newestMs < mtimeMs - tickMs;
  }
}

function factsOf(path: string): typeof GONE {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? GONE;
  } catch {
    return GONE; // a file where a directory was, or a directory that may not be entered
  }
}
