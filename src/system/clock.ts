/** Milliseconds since some moment, for measuring how long something takes. `performance` would load another module. */
export function elapsedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Milliseconds since the epoch. The only place that reads the wall clock. */
export function now(): number {
  return Date.now();
}
