/** Many children of a run wait for the same signal; one listener serves them all, where Node's own are slow and it warns of the eleventh. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Acts when the signal aborts, unless what is returned is called before. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const acts = waiting.get(signal) ?? listenTo(signal);
  acts.add(act);
  return () => acts.delete(act);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const acts = new Set<() => void>();
  waiting.set(signal, acts);
  const actAll = (): void => {
    for (const act of acts) act();
  };
  signal.addEventListener("abort", actAll, { once: true });
  return acts;
}
