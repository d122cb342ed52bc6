/** Milliseconds since some moment, for measuring how long something takes. `performance` would load a module of its own. */
export function elapsedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Milliseconds since the epoch. Nobody else asks the wall clock. */
export function now(): number {
  return Date.now();
}
