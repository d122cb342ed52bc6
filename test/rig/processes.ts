import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The processes that carry `mark` in their environment or on their command line, other than this one. Linux only. */
export function survivors(mark: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => ["environ", "cmdline"].some((file) => read(`/proc/${name}/${file}`).includes(mark)))
    .map(Number);
}

/** Whether a process runs; one that has ended and was not collected does not. */
export function isAlive(pid: number): boolean {
  if (process.platform !== "linux") return signalArrives(pid);
  return pid > 0 && !["", "Z", "X"].includes(statOf(pid)[0] ?? "");
}

/** What a lock says of its holder, so that no other process is taken for it. Linux only. */
export function identityOf(pid: number): { startTime?: string; bootId: string; namespace: string } {
  return {
    startTime: statOf(pid)[19],
    bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    namespace: pidNamespace(),
  };
}

export function pidNamespace(): string {
  return readlinkSync("/proc/self/ns/pid");
}

/** The fields of proc(5) after the name in brackets, which may hold blanks: the state is the first. */
function statOf(pid: number): readonly string[] {
  return read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .trim()
    .split(" ");
}

function signalArrives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
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
