import { WatchedProject } from "../../run/watched-project.ts";
import { findProject } from "../../system/files/find-project.ts";
import { type Cancellation, cancellation } from "../../system/process/cancellation.ts";
import { EXIT, exitCodeBy } from "../../report/exit-code.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import type { RunResult } from "../../run/result.ts";

const NO_TERMINAL =
  "`--watch` reads keys until you quit, so it needs a terminal. Without one: `agent-gauntlet run`.";
const HELP = "Watching for changes. a: run all · f: run failed · Enter: run again · q: quit";
const POLLING =
  "The system cannot watch so many directories: the files are looked at every two seconds instead.";
const RESTLESS =
  "The gates themselves change files each time they run, so they are not run again until something else changes.";

/** Limits runs that only the run before caused: they would never end. */
const MOST_UNASKED = 2;

interface Asked {
  readonly all?: boolean;
  readonly failed?: boolean;
}

type RunOnce = (asked: Asked, cancel: Pick<Cancellation, "signal" | "cause">) => Promise<RunResult>;

export async function watchCommand(terminal: Terminal, run: RunOnce): Promise<number> {
  if (!terminal.isInteractive) {
    printLine(terminal.stderr, NO_TERMINAL);
    return EXIT.notOk;
  }
  using cancel = cancellation();
  const root = findProject(terminal.cwd);
  if (root === undefined) {
    await run({}, cancel); // which says what is missing
    return EXIT.notOk;
  }
  using wishes = new Wishes(terminal.stdin, cancel.signal);
  using files = await WatchedProject.open(root, terminal.env, {
    onChange: () => wishes.make("changed"),
  });
  if (files.isPolling) printLine(terminal.stderr, POLLING);
  const last = await runUntilQuit(terminal, run, { wishes, files, cancel });
  return last === "quit" ? EXIT.ok : exitCodeBy(cancel.cause ?? "SIGINT");
}

interface Watching {
  readonly wishes: Wishes;
  readonly files: WatchedProject;
  readonly cancel: Cancellation;
}

async function runUntilQuit(terminal: Terminal, run: RunOnce, watching: Watching): Promise<Wish> {
  const { wishes, files } = watching;
  let wish: Wish = "again";
  let unasked = 0;
  while (wish !== "quit" && wish !== "interrupt") {
    const isCurrent = await isCurrentAfter(ASKED[wish], run, watching);
    const isStale = wishes.next === undefined && !isCurrent;
    if (isStale && unasked++ < MOST_UNASKED) {
      printLine(terminal.stdout, `\n${files.changedWords()} while the gates ran.`);
      wish = "changed";
      continue;
    }
    if (isStale) printLine(terminal.stdout, `\n${RESTLESS}`);
    unasked = 0;
    if (wishes.next === undefined) printLine(terminal.stdout, `\n${terminal.colours.dim(HELP)}`);
    wish = await wishes.take();
    if (wish === "changed") printLine(terminal.stdout, `\n${files.changedWords()}.`);
  }
  return wish;
}

const ASKED: Readonly<Record<Exclude<Wish, "quit" | "interrupt">, Asked>> = {
  all: { all: true, failed: false },
  failed: { failed: true, all: false },
  again: {},
  changed: {},
};

/** Whether the result is about the current files. A key cancels the run; a change waits for its end. */
async function isCurrentAfter(
  asked: Asked,
  run: RunOnce,
  { wishes, files, cancel }: Watching,
): Promise<boolean> {
  const before = await files.look();
  const { signal } = wishes.startRun();
  const interruptible: Pick<Cancellation, "signal" | "cause"> = {
    signal: AbortSignal.any([signal, cancel.signal]),
    get cause() {
      return cancel.cause ?? (signal.aborted ? "SIGINT" : undefined);
    },
  };
  const { judged } = await run(asked, interruptible);
  const isCurrent = await files.isStill({ ...before, content: judged?.tree ?? before.content });
  wishes.endRun();
  return isCurrent;
}

type Wish = "all" | "failed" | "again" | "changed" | "quit" | "interrupt";

const KEYS: Readonly<Record<string, Wish>> = {
  a: "all",
  f: "failed",
  "\r": "again",
  "\n": "again",
  q: "quit",
  "\u0003": "interrupt", // Ctrl-C is no signal while keys are read one by one
  "\u0004": "quit",
};

class Wishes implements Disposable {
  readonly #stdin: Terminal["stdin"];
  #next: Wish | undefined;
  #taker: ((wish: Wish) => void) | undefined;
  #run: AbortController | undefined;

  constructor(stdin: Terminal["stdin"], ending: AbortSignal) {
    this.#stdin = stdin;
    stdin.setRawMode?.(true);
    stdin.on("data", this.#press).on("end", this.#leave).on("error", this.#leave).resume();
    ending.addEventListener("abort", () => this.make("interrupt"));
  }

  get next(): Wish | undefined {
    return this.#next;
  }

  /** A key cancels the running run. */
  make(wish: Wish): void {
    if (wish === "changed" && this.#run !== undefined) return; // looked at when the run has ended
    this.#next = wish;
    this.#run?.abort();
    this.#taker?.(wish);
  }

  async take(): Promise<Wish> {
    const wish = this.#next ?? (await new Promise<Wish>((resolve) => (this.#taker = resolve)));
    this.#taker = undefined;
    this.#next = undefined;
    return wish;
  }

  startRun(): AbortController {
    this.#run = new AbortController();
    if (this.#next === "changed") this.#next = undefined; // the run looks at the files itself
    if (this.#next !== undefined) this.#run.abort();
    return this.#run;
  }

  endRun(): void {
    this.#run = undefined;
  }

  readonly #press = (chunk: Buffer | string): void => {
    const typed = chunk.toString();
    const keys = typed.startsWith("\u001b") ? [] : typed.toLowerCase().split(""); // an arrow key is a sequence of characters
    const wish = keys.map((key) => KEYS[key]).findLast((known) => known !== undefined);
    if (wish !== undefined) this.make(wish);
  };

  readonly #leave = (): void => this.make("quit");

  [Symbol.dispose](): void {
    this.#stdin.off("data", this.#press).off("end", this.#leave).off("error", this.#leave).pause();
    this.#stdin.setRawMode?.(false);
  }
}
