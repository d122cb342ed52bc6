import { lstatSync, readdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
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
  readonly #lookers: readonly Looker[];
  /** When the last of them was changed, by the clock of the file system. */
  readonly #newestMs: number;

  private constructor(key: number, lookers: readonly Looker[], newestMs: number) {
    this.#key = key;
    this.#lookers = lookers;
    this.#newestMs = newestMs;
    unused.register(this, key);
  }

  /** Undefined where they cannot be marked. A process that works in the directory around them has it twice as quick. */
  static async of(paths: readonly string[]): Promise<FileMarks | undefined> {
    const key = (lastKey += 1);
    const here = `${process.cwd()}/`;
    const short = paths.map((path) => (path.startsWith(here) ? path.slice(here.length) : path));
    const each = Math.max(FEWEST, Math.ceil(short.length / LOOKERS.length));
    const used = LOOKERS.slice(0, Math.ceil(short.length / each));
    const newest = await Promise.all(
      used.map((looker, at) =>
        looker.ask({ what: "mark", key, paths: short.slice(at * each, (at + 1) * each) }),
      ),
    );
    const known = newest.filter((ms) => ms !== undefined);
    return known.length < newest.length ? undefined : new FileMarks(key, used, Math.max(...known));
  }

  /** Whether all still are as they were. */
  async isSame(): Promise<boolean> {
    const asked = this.#lookers.map((looker) => looker.ask({ what: "compare", key: this.#key }));
    return (await Promise.all(asked)).every((answer) => answer === 1);
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

/** Runs in a thread of its own, which is given the text of this function: it can use nothing that is outside of it. */
function answerQuestions(): void {
  const { lstatSync: lookAt } = process.getBuiltinModule("node:fs");
  const { parentPort } = process.getBuiltinModule("node:worker_threads");
  const WIDTH = 5;
  const known = new Map<number, { readonly paths: readonly string[]; readonly marks: Float64Array }>();
  const seen = new Float64Array(WIDTH);
  const look = (path: string): void => {
    seen.fill(-1); // what cannot be looked at is as good as gone
    try {
      const found = lookAt(path, { throwIfNoEntry: false });
      if (found === undefined) return;
      seen[0] = found.ino;
      seen[1] = found.mode;
      seen[2] = found.size;
      seen[3] = found.mtimeMs;
      seen[4] = found.ctimeMs;
    } catch {
      // a file where a directory was, or a directory that may not be entered
    }
  };
  const mark = (key: number, paths: readonly string[]): number => {
    const marks = new Float64Array(paths.length * WIDTH);
    let newestMs = 0;
    for (const [at, path] of paths.entries()) {
      look(path);
      marks.set(seen, at * WIDTH);
      newestMs = Math.max(newestMs, seen[3] ?? 0, seen[4] ?? 0);
    }
    known.set(key, { paths, marks });
    return newestMs;
  };
  const isSame = (key: number): boolean => {
    const marked = known.get(key); // undefined after a thread that is gone
    return (
      marked?.paths.every((path, at) => {
        look(path);
        return seen.every((field, place) => field === marked.marks[at * WIDTH + place]);
      }) ?? false
    );
  };
  parentPort?.on("message", (asked: Question & { readonly id: number }) => {
    if (asked.what === "forget") return void known.delete(asked.key);
    const answer = asked.what === "mark" ? mark(asked.key, asked.paths) : Number(isSame(asked.key));
    parentPort.postMessage({ id: asked.id, answer }, []);
  });
}

/** A thread, started when it is first needed. */
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
    const thread = new Worker(`(${answerQuestions.toString()})()`, { eval: true });
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

/** The next job waits for them: 3,000 files and directories take one thread 9 ms. */
const LOOKERS = Array.from({ length: Math.min(4, availableParallelism()) }, () => new Looker());
/** Fewer are not worth another thread. */
const FEWEST = 500;
let lastKey = 0;
const unused = new FinalizationRegistry((key: number) => LOOKERS.forEach((looker) => looker.forget(key)));

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
