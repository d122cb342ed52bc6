/** Signals that would end the process silently. Windows knows only the first three. */
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
  readonly cause: (typeof SIGNALS)[number] | undefined;
}

/** Aborts when the process is asked to end, so that gates are killed, the lock is released and an answer is still given. */
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
