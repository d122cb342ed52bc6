import { lstatSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";

/** More than the clock of any file system that keeps fractions of a second ticks in; FAT keeps every other second. */
const TICK_MS = 50;
const COARSE_TICK_MS = 2_000;

/**
 * Remembers what the file system says of many files and directories at one moment: identity, mode, size and times. As long as it
 * says the same, none of them was written to, and in no such directory was anything made, renamed or removed: no program can set
 * the time of an entry's last change (ctime). Threads do the looking: 3,000 entries take one of them 9 ms.
 */
export class StatCache {
  readonly #turns: LookTurns;
  readonly #threads = Array.from({ length: Math.min(4, availableParallelism()) }, () => new LookThread());
  #lastKey = 0;

  /** A directory of this process, beside those of the others that it takes turns with. */
  constructor(directory: string) {
    this.#turns = new LookTurns(directory);
  }

  /**
   * Marks them, in place of what was marked under this name before; undefined where that cannot be done. A process that works in
   * the directory around them has it twice as quick.
   */
  async mark(name: string, paths: readonly string[]): Promise<FileMarks | undefined> {
    const key = (this.#lastKey += 1);
    const here = `${process.cwd()}/`;
    const short = paths.map((path) => (path.startsWith(here) ? path.slice(here.length) : path));
    const each = Math.max(FEWEST, Math.ceil(short.length / this.#threads.length));
    const used = this.#threads.slice(0, Math.ceil(short.length / each));
    const newest = await Promise.all(
      used.map((thread, at) =>
        thread.ask({ what: "mark", name, key, paths: short.slice(at * each, (at + 1) * each) }),
      ),
    );
    const known = newest.filter((ms) => ms !== undefined);
    if (known.length < newest.length) return undefined;
    const compare = async (): Promise<boolean> => {
      const answers = await Promise.all(used.map((thread) => thread.ask({ what: "compare", name, key })));
      return answers.every((answer) => answer === 1);
    };
    return new FileMarks(() => this.#turns.inTurn(compare), Math.max(...known));
  }

  forget(name: string): void {
    for (const thread of this.#threads) thread.forget(name);
  }
}

/** Fewer are not worth another thread. */
const FEWEST = 500;

export class FileMarks {
  /** Whether all still are as they were. */
  readonly isSame: () => Promise<boolean>;
  /** When the last of them was changed, by the clock of the file system. */
  readonly #newestMs: number;

  constructor(isSame: () => Promise<boolean>, newestMs: number) {
    this.isSame = isSame;
    this.#newestMs = newestMs;
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

/**
 * One process of a machine looks at a time: gates that began together often end together, and if all looked at once on few cores,
 * each would have to wait until the last is done. Whoever has the file under its own name looks. It is only about time: who
 * waits too long looks anyway, and puts back what one that died has taken away.
 */
class LookTurns {
  readonly #free: string;
  readonly #mine: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(directory: string) {
    this.#free = join(dirname(directory), "turn");
    this.#mine = join(directory, "turn");
  }

  /** In this process, one after the other as well. */
  inTurn<T>(look: () => Promise<T>): Promise<T> {
    const looked = this.#last.then(async () => {
      await this.#take();
      return look().finally(() => rename(this.#mine, this.#free));
    });
    this.#last = looked.catch(() => undefined);
    return looked;
  }

  async #take(): Promise<void> {
    for (let waitedMs = 0; waitedMs < LONGEST_TURN_MS; waitedMs += 1) {
      if (rename(this.#free, this.#mine)) return;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    try {
      writeFileSync(this.#mine, "");
    } catch {
      // there are no turns where nothing can be written
    }
  }
}

/** About as long as a look takes: on a busy machine it would be time lost. */
const LONGEST_TURN_MS = 8;

function rename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

type Question =
  | { readonly what: "mark"; readonly name: string; readonly key: number; readonly paths: readonly string[] }
  | { readonly what: "compare"; readonly name: string; readonly key: number }
  | { readonly what: "forget"; readonly name: string };

/** Runs in a thread of its own, which is given the text of this function: it can use nothing that is outside of it. */
function answerQuestions(): void {
  const { lstatSync: lookAt } = process.getBuiltinModule("node:fs");
  const { parentPort } = process.getBuiltinModule("node:worker_threads");
  const WIDTH = 5;
  const GONE = { ino: 0, mode: 0, size: 0, mtimeMs: 0, ctimeMs: 0 };
  const known = new Map<string, { key: number; paths: readonly string[]; marks: Float64Array }>();
  const look = (path: string): typeof GONE => {
    try {
      return lookAt(path, { throwIfNoEntry: false }) ?? GONE;
    } catch {
      return GONE; // a file where a directory was, or a directory that may not be entered
    }
  };
  const mark = (name: string, key: number, paths: readonly string[]): number => {
    const marks = new Float64Array(paths.length * WIDTH);
    let newestMs = 0;
    for (const [at, path] of paths.entries()) {
      const { ino, mode, size, mtimeMs, ctimeMs } = look(path);
      marks.set([ino, mode, size, mtimeMs, ctimeMs], at * WIDTH);
      newestMs = Math.max(newestMs, mtimeMs, ctimeMs);
    }
    known.set(name, { key, paths, marks });
    return newestMs;
  };
  const isSame = (name: string, key: number): boolean => {
    const marked = known.get(name); // undefined after a thread that is gone
    if (marked?.key !== key) return false;
    const { paths, marks } = marked;
    return paths.every((path, index) => {
      const [found, at] = [look(path), index * WIDTH];
      if (found.ino !== marks[at] || found.mode !== marks[at + 1] || found.size !== marks[at + 2])
        return false;
      return found.mtimeMs === marks[at + 3] && found.ctimeMs === marks[at + 4];
    });
  };
  parentPort?.on("message", (asked: Question & { readonly id: number }) => {
    if (asked.what === "forget") return void known.delete(asked.name);
    const { name, key } = asked;
    const answer = asked.what === "mark" ? mark(name, key, asked.paths) : Number(isSame(name, key));
    parentPort.postMessage({ id: asked.id, answer }, []);
  });
}

/** A thread, started when it is first needed. */
class LookThread {
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

  forget(name: string): void {
    this.#thread?.postMessage({ what: "forget", name } satisfies Question, []);
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
