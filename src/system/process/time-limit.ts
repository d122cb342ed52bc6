/**
 * Aborts after `ms`, or with `signal`. Not `AbortSignal.any([signal, AbortSignal.timeout(ms)])`: a garbage collection removes
 * that timeout, and it never fires (nodejs/node#57736, seen in 20.20.2).
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

/** What the work comes to; undefined if the signal aborts first. */
export async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  let forget: (() => void) | undefined;
  const late = new Promise<undefined>((resolve) => (forget = onAbort(signal, () => resolve(undefined))));
  return Promise.race([work, late]).finally(() => forget?.());
}

/** A longer timer fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One listener for all children of a run: Node's own are slow, and it warns of the eleventh. */
const waiting = new WeakMap<AbortSignal, Waiting>();

interface Waiting {
  readonly acts: Set<() => void>;
  readonly actAll: () => void;
}

/**
 * Acts when the signal aborts, unless the returned function is called before. The last one removes the listener: Node keeps a
 * combined signal for as long as it has one.
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
