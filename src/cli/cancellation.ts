const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

interface Cancellation extends Disposable {
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
