/** For durations. `performance` would load another module. */
export function elapsedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The only reader of the wall clock. */
export function now(): number {
  return Date.now();
}
