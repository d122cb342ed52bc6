/** Whatever would end us without a word. Windows knows only the first three. */
const SIGNALS: readonly NodeJS.Signals[] = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  ...(process.platform === "win32"
    ? []
    : (["SIGQUIT", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGXCPU"] as const)),
];

/** Aborts when the process is asked to end, so that gates are ended, the lock is released and an answer is still given. */
export function cancellation(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const abort = (name: NodeJS.Signals): void => controller.abort(name);
  for (const name of SIGNALS) process.on(name, abort);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) process.off(name, abort);
    },
  };
}
