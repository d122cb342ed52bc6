import { lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

/** More than the clock of any file system that keeps fractions of a second ticks in; FAT keeps every other second. */
const TICK_MS = 50;
const COARSE_TICK_MS = 2_000;

/**
 * What the file system says of many files and directories at one moment: identity, mode, size and times. As long as it says the
 * same, none of them was written to, and in no such directory was anything made, renamed or removed: no program can set the time
 * of an entry's last change (ctime).
 */
export class FileMarks {
  readonly #key: number;
  /** When the last of them was changed, by the clock of the file system. */
  readonly #newestMs: number;

  private constructor(key: number, newestMs: number) {
    this.#key = key;
    this.#newestMs = newestMs;
    unused.register(this, key);
  }

  /** Undefined where they cannot be marked. A process that works in the directory around them has it twice as quick. */
  static async of(paths: readonly string[]): Promise<FileMarks | undefined> {
    const key = (lastKey += 1);
    const here = `${process.cwd()}/`;
    const short = paths.map((path) => (path.startsWith(here) ? path.slice(here.length) : path));
    const newestMs = await looker.ask({ what: "mark", key, paths: short });
    return newestMs === undefined ? undefined : new FileMarks(key, newestMs);
  }

  /** Whether all still are as they were. */
  async isSame(): Promise<boolean> {
    return (await looker.ask({ what: "compare", key: this.#key })) === 1;
  }

  /**
   * Whether the next change of any of them is sure to show: two within one tick of the clock have the same time. A file is written
   * to learn the time.
   */
  isSettled(clock: string): boolean {
    writeFileSync(clock, "");
    const { mtimeMs } = lstatSync(clock);
    const tickMs = Number.isInteger(mtimeMs / 1000) ? COARSE_TICK_MS : TICK_MS;
    return this.#newestMs < mtimeMs - tickMs;
  }
}

type Question =
  | { readonly what: "mark"; readonly key: number; readonly paths: readonly string[] }
  | { readonly what: "compare" | "forget"; readonly key: number };

/** Runs in its own thread: 2,000 files take 10 ms, in which the other has better to do. */
const LOOKER = `
const { lstatSync } = require("node:fs");
const { parentPort } = require("node:worker_threads");
const known = new Map();
const MISSING = [-1, -1, -1, -1, -1];
function look(path) {
  try {
    const { ino, mode, size, mtimeMs, ctimeMs } = lstatSync(path);
    return [ino, mode, size, mtimeMs, ctimeMs];
  } catch {
    return MISSING; // what cannot be looked at is as good as gone
  }
}
function mark(key, paths) {
  const marks = new Float64Array(paths.length * 5);
  let newestMs = 0;
  for (const [at, path] of paths.entries()) {
    const fields = look(path);
    marks.set(fields, at * 5);
    newestMs = Math.max(newestMs, fields[3], fields[4]);
  }
  known.set(key, { paths, marks });
  return newestMs;
}
function compare(key) {
  const { paths, marks } = known.get(key) ?? { paths: ["/"], marks: [] }; // of a thread that is gone
  return paths.every((path, at) => look(path).every((field, place) => field === marks[at * 5 + place])) ? 1 : 0;
}
parentPort.on("message", ({ id, what, key, paths }) => {
  if (what === "forget") return known.delete(key);
  parentPort.postMessage({ id, answer: what === "mark" ? mark(key, paths) : compare(key) });
});
`;

/** The thread, started when it is first needed. */
class Looker {
  readonly #asked = new Map<number, (answer: number | undefined) => void>();
  #thread: Worker | undefined;
  #lastId = 0;

  /** Undefined when the thread is gone, and with it all that it knew. */
  ask(question: Question): Promise<number | undefined> {
    const id = (this.#lastId += 1);
    const thread = (this.#thread ??= this.#start());
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      thread.postMessage({ id, ...question }, []);
    });
  }

  forget(key: number): void {
    this.#thread?.postMessage({ what: "forget", key } satisfies Question, []);
  }

  #start(): Worker {
    const thread = new Worker(LOOKER, { eval: true });
    thread.unref(); // whoever waits for an answer has a reason to live
    thread.on("message", ({ id, answer }: { readonly id: number; readonly answer: number }) => {
      this.#asked.get(id)?.(answer);
      this.#asked.delete(id);
    });
    thread.on("error", () => {
      this.#thread = undefined;
      for (const resolve of this.#asked.values()) resolve(undefined);
      this.#asked.clear();
    });
    return thread;
  }
}

const looker = new Looker();
let lastKey = 0;
const unused = new FinalizationRegistry((key: number) => looker.forget(key));

/** A directory and all below it, and the files of these names in them. */
export function directoriesIn(path: string, fileNames: readonly string[]): readonly string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  return [
    path,
    ...entries.flatMap((entry) => {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) return directoriesIn(inside, fileNames);
      return fileNames.includes(entry.name) ? [inside] : [];
    }),
  ];
}
