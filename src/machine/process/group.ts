import { hasCode } from "../files/errno.ts";
import { readdirSync, readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";

/** Sends a signal to a whole process group; a group that is gone is fine. */
export function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/T", "/F", "/PID", String(leaderPid)], {
      windowsHide: true,
      stdio: "ignore",
    });
    return;
  }
  try {
    process.kill(-leaderPid, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Whether anything of the group still runs; zombies do not count where the system lets us tell. */
export function isGroupAlive(leaderPid: number): boolean {
  if (process.platform === "win32" || !exists(-leaderPid)) return false;
  return process.platform !== "linux" || processTable().some((entry) => entry.group === leaderPid);
}

/** Whether a process with this id runs, ours or not; a zombie does not. */
export function isAlive(pid: number): boolean {
  return process.platform === "linux" ? readStat(pid) !== undefined : exists(pid);
}

/** A value that tells two processes with the same reused pid apart; undefined where the system has none or the process is gone. */
export function startTime(pid: number): string | undefined {
  if (process.platform === "linux") return readStat(pid)?.startTime;
  if (process.platform === "win32") return undefined;
  const ps = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  return ps.status === 0 ? ps.stdout.trim() || undefined : undefined;
}

/** Changes with every boot, so that pids of an earlier one are never trusted. */
export function bootId(): string | undefined {
  if (process.platform === "linux") return readText("/proc/sys/kernel/random/boot_id")?.trim();
  if (process.platform !== "darwin") return undefined;
  return spawnSync("sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).stdout.trim() || undefined;
}

/** Process groups on this machine in which some process carries `variable=value` in its environment (Linux only). */
export function groupsWithEnvironment(variable: string, value: string): readonly number[] {
  if (process.platform !== "linux") return [];
  const marker = `${variable}=${value}`;
  const marked = processTable().filter((entry) =>
    readText(`/proc/${entry.pid}/environ`)?.split("\0").includes(marker),
  );
  return [...new Set(marked.map((entry) => entry.group))];
}

interface ProcessEntry {
  readonly pid: number;
  readonly group: number;
  readonly startTime: string;
}

function processTable(): readonly ProcessEntry[] {
  return readdirSync("/proc").flatMap((name) => {
    const entry = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    return entry === undefined ? [] : [entry];
  });
}

/** The fields of /proc/PID/stat follow the command name, which is in parentheses and may contain anything. */
function readStat(pid: number): ProcessEntry | undefined {
  const text = readText(`/proc/${pid}/stat`);
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  if (fields === undefined || fields[0] === "Z" || fields[0] === "X") return undefined;
  return { pid, group: Number(fields[2]), startTime: fields[19] ?? "" };
}

/** A process may end between listing and reading it: then there is nothing to read. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function exists(pidOrGroup: number): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0; // no is the usual answer, and where it was asked makes four fifths of its cost
  try {
    process.kill(pidOrGroup, 0);
    return true;
  } catch (error) {
    return !isGone(error);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function isGone(error: unknown): boolean {
  return hasCode(error, "ESRCH");
}
