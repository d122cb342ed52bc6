import { readdirSync, readFileSync } from "node:fs";

/** The processes that carry `mark` in their environment or on their command line, other than this one. Linux only. */
export function survivors(mark: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => ["environ", "cmdline"].some((file) => read(`/proc/${name}/${file}`).includes(mark)))
    .map(Number);
}

/** Sends a signal to one process, or with a negative pid to its group: 0, 1 and no number would reach the tests or all processes. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  if (!(Math.abs(pid) > 1)) throw new RangeError(`no process of a test has the pid ${pid}`);
  process.kill(pid, signal);
}

/** A process may end between listing and reading it. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
