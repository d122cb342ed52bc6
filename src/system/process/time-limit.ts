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
  if (signal.aborted) follow();
  else onAbort(signal, follow);
  return limit.signal;
}

/** A longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Many children of a run wait for the same signal; one listener serves them all, where Node's own are slow and it warns of the eleventh. */
const waiting = new WeakMap<AbortSignal, Waiting>();

interface Waiting {
  readonly acts: Set<() => void>;
  readonly actAll: () => void;
}

/**
 * Acts when the signal aborts, unless what is returned is called before. The last to go takes the listener along: Node keeps a
 * signal made of others for as long as it has a listener.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const { acts, actAll } = waiting.get(signal) ?? listenTo(signal);
  acts.add(act);
  return () => {
    if (!acts.delete(act) || acts.size > 0) return;
    signal.removeEventListener("abort", actAll);
    waiting.delete(signal);
  };
}

function listenTo(signal: AbortSignal): Waiting {
  const acts = new Set<() => void>();
  const actAll = (): void => {
    for (const act of acts) act();
  };
  signal.addEventListener("abort", actAll, { once: true });
  const heard = { acts, actAll };
  waiting.set(signal, heard);
  return heard;
}
