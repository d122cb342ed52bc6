/** `1 gate`, `2 gates`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** `2 minutes ago`; a time that lies ahead is the fault of a clock, and counts as now. */
export function ago(time: number, now: number): string {
  const passed = now - time;
  const [noun, length] = UNITS.find(([, unit]) => passed >= unit) ?? [undefined, 1];
  return noun === undefined ? "just now" : `${counted(Math.floor(passed / length), noun)} ago`;
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** `12 ms`, `3.4 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
