/** Many children of a run wait for the same signal; one listener serves them all, where Node's own are slow and it warns of the eleventh. */
const waiting = new WeakMap<AbortSignal, Waiting>();

interface Waiting {
  readonly acts: Set<() => void>;
  readonly actAll: () => void;
}

/**
 * Acts when the signal aborts, unless what is returned is called before. The last to go takes the listener along: Node keeps a
 * signal made of others for as long as somebody listens.
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
