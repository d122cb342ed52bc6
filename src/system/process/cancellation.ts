/** Whatever would end us without a word. Windows knows only the first three. */
const SIGNALS: readonly NodeJS.Signals[] = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  ...(process.platform === "win32"
    ? []
    : (["SIGQUIT", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGXCPU"] as const)),
];

export interface Cancellation extends Disposable {
  readonly signal: AbortSignal;
  /** The first signal that came; Ctrl-C is SIGINT. */
  readonly cause: (typeof SIGNALS)[number] | undefined;
}

/** Aborts when the process is asked to end, so that gates are ended, the lock is released and an answer is still given. */
export function cancellation(): Cancellation {
  const controller = new AbortController();
  let cause: Cancellation["cause"];
  const abort = (name: (typeof SIGNALS)[number]): void => {
    cause ??= name;
    controller.abort(name);
  };
  for (const name of SIGNALS) process.on(name, abort);
  return {
    signal: controller.signal,
    get cause() {
      return cause;
    },
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) process.off(name, abort);
    },
  };
}
