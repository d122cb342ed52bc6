import { setMaxListeners } from "node:events";

/**
 * Aborts after `ms`, or when `signal` does. Not `AbortSignal.any([signal, AbortSignal.timeout(ms)])`: nothing but the timer holds
 * on to that timeout, and weakly, so a garbage collection takes it away and it never fires (nodejs/node#57736, seen in 20.20.2).
 */
export function timeLimit(ms: number, signal?: AbortSignal): AbortSignal {
  const limit = new AbortController();
  const isOver = (): void => limit.abort(new DOMException("time is up", "TimeoutError"));
  const timer = setTimeout(isOver, Math.min(ms, LONGEST_TIMER_MS)).unref();
  const follow = (): void => {
    clearTimeout(timer);
    limit.abort(signal?.reason);
  };
  if (signal === undefined) return limit.signal;
  setMaxListeners(0, signal); // every gate of a run listens to the same one; Node would warn about the eleventh
  if (signal.aborted) follow();
  else signal.addEventListener("abort", follow, { once: true });
  return limit.signal;
}

/** A longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
