import { hasCode } from "../files/errno.ts";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { outputNow } from "#runtime";
import { now } from "../clock.ts";

/** A group that is gone is fine; one that we may not signal, as after `sudo`, stays. */
export function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32") {
    outputNow("taskkill", "/T", "/F", "/PID", String(leaderPid));
    return;
  }
  try {
    process.kill(-leaderPid, signal);
  } catch (error) {
    if (!isGone(error) && !hasCode(error, "EPERM")) throw error;
  }
}

/** Zombies do not count if the system tells. To the system, groups 0 and 1 mean our own and everyone's. */
export function isGroupAlive(leaderPid: number): boolean {
  if (process.platform === "win32" || leaderPid <= 1 || !exists(-leaderPid)) return false;
  return process.platform !== "linux" || processTable().some((entry) => entry.group === leaderPid);
}

export function isAlive(pid: number): boolean {
  return process.platform === "linux" ? readStat(pid) !== undefined : exists(pid);
}

/** Tells two processes with the same reused pid apart; undefined if the system does not tell. */
export function startTime(pid: number): string | undefined {
  if (process.platform === "linux") return readStat(pid)?.startTime;
  if (process.platform === "win32") return undefined;
  return outputNow("ps", "-o", "lstart=", "-p", String(pid)).trim() || undefined;
}

export function beganAt(pid: number): number | undefined {
  if (process.platform === "linux") {
    const entry = readStat(pid);
    return entry && Number(entry.startTime) * TICK_MS;
  }
  if (process.platform === "win32") return undefined;
  const runsFor = elapsedIn(outputNow("ps", "-o", "etime=", "-p", String(pid)));
  return runsFor === undefined ? undefined : now() - runsFor;
}

const TICK_MS = 10;

/** Precision of `beganAt`: Linux counts hundredths of a second, `ps` seconds. */
export const START_GRAIN_MS = process.platform === "linux" ? 2 * TICK_MS : 2_000;

/** `ps` prints `[[days-]hours:]minutes:seconds`. */
export function elapsedIn(text: string): number | undefined {
  const [, days = "0", hours = "0", minutes, seconds] =
    /^(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)$/.exec(text.trim()) ?? [];
  if (minutes === undefined || seconds === undefined) return undefined;
  return (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

/** Pids of an earlier boot are never trusted. */
export function bootId(): string | undefined {
  if (process.platform === "linux") return readText("/proc/sys/kernel/random/boot_id")?.trim();
  if (process.platform !== "darwin") return undefined;
  return outputNow("sysctl", "-n", "kern.bootsessionuuid").trim() || undefined;
}

/** Groups in which a process has `variable=value` in its environment (Linux and macOS). */
export function groupsWithEnvironment(variable: string, value: string): readonly number[] {
  const marker = `${variable}=${value}`;
  if (process.platform === "darwin")
    return groupsInListing(outputNow("ps", "-AEww", "-o", "pgid=,command="), marker);
  if (process.platform !== "linux") return [];
  const marked = processTable().filter(({ pid }) => hasInEnvironment(pid, marker));
  return [...new Set(marked.map((entry) => entry.group))];
}

/**
 * Groups with `variable` whose value begins with the pid of a process that has ended, and without `except`. Linux only:
 * elsewhere the environment cannot be told from the arguments.
 */
export function orphanedGroups(variable: string, except: string): readonly number[] {
  if (process.platform !== "linux") return [];
  const orphans = processTable().filter(({ pid }) => {
    const entries = readText(`/proc/${pid}/environ`)?.split("\0") ?? [];
    const value = entries.find((entry) => entry.startsWith(`${variable}=`))?.slice(variable.length + 1);
    const owner = /^\d+(?=-)/.exec(value ?? "")?.[0];
    if (owner === undefined || entries.some((entry) => entry.startsWith(`${except}=`))) return false;
    return !isAlive(Number(owner)) && pidNamespace(pid) === pidNamespace();
  });
  return [...new Set(orphans.map(({ group }) => group))];
}

/** `ps -E` prints command, arguments and environment with nothing between. */
export function groupsInListing(listing: string, marker: string): readonly number[] {
  const groups = listing.split("\n").flatMap((line) => {
    const [group = "", ...words] = line.trim().split(/\s+/);
    return words.includes(marker) && /^\d+$/.test(group) ? [Number(group)] : [];
  });
  return [...new Set(groups)].filter((group) => group > 1);
}

/** What a child started outside its group: in its session (`set -m`), or in a new one (`setsid`). Linux only. */
export interface Strays {
  readonly groups: readonly number[];
  readonly daemons: readonly { readonly group: number; readonly name: string }[];
}

export interface Leader {
  readonly pid: number;
  readonly mark: string;
  readonly ranMs: number;
  /** Whether a pid is or was that of another child, which finds its own strays. */
  readonly isSibling?: ((pid: number) => boolean) | undefined;
}

/** The strays of a child that led a session; in other sessions its mark tells. */
export function straysOf(leader: Leader): Strays {
  if (process.platform !== "linux") return { groups: [], daemons: [] };
  const later = processesSince(leader).filter(({ group }) => group !== leader.pid);
  const own = later.filter((one) => one.session === leader.pid);
  const others = later.filter((one) => one.session !== leader.pid && hasInEnvironment(one.pid, leader.mark));
  const daemons = new Map(
    others.toReversed().map(({ group, pid }) => [group, `${commandOf(pid)} (pid ${pid})`]),
  );
  return {
    groups: [...new Set(own.map(({ group }) => group))],
    daemons: [...daemons].map(([group, name]) => ({ group, name })),
  };
}

function hasInEnvironment(pid: number, mark: string): boolean {
  return readText(`/proc/${pid}/environ`)?.split("\0").includes(mark) ?? false;
}

function commandOf(pid: number): string {
  return readText(`/proc/${pid}/comm`)?.trim() ?? "a process";
}

/** In another namespace our pids mean other processes; undefined if the system has none. */
export function pidNamespace(pid: number | "self" = "self"): string | undefined {
  try {
    return process.platform === "linux" ? readlinkSync(`/proc/${pid}/ns/pid`) : undefined;
  } catch {
    return undefined;
  }
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTime: string;
}

function processTable(isAsked: (pid: number) => boolean = () => true): readonly ProcessEntry[] {
  return readdirSync("/proc").flatMap((name) => {
    const entry = /^\d+$/.test(name) && isAsked(Number(name)) ? readStat(Number(name)) : undefined;
    return entry === undefined || entry.group === 0 ? [] : [entry]; // the kernel's own have none
  });
}

/** In less time the kernel cannot run through all its pids. */
const LAP_MS = 2_000;

const MOST_PIDS = 200;

/**
 * The processes that may be younger than a child. The kernel counts up, so their pids lie between the child's and the last one
 * given out. Reading all of /proc after each of many short gates would cost more than the gates: 1.5 ms for 150 processes.
 */
function processesSince({ pid, ranMs, isSibling = () => false }: Leader): readonly ProcessEntry[] {
  const last = Number(readText("/proc/loadavg")?.trim().split(" ").at(-1));
  if (ranMs >= LAP_MS || !(last >= pid)) {
    const since = Number(startTime(process.pid)); // the child is no older than we are
    return processTable().filter((one) => Number(one.startTime) >= since);
  }
  if (last - pid > MOST_PIDS) return processTable((other) => other > pid && !isSibling(other));
  const pids = Array.from({ length: last - pid }, (_, at) => pid + 1 + at);
  return pids
    .filter((other) => !isSibling(other) && existsSync(`/proc/${other}`) && !isOwnThread(other))
    .flatMap((other) => readStat(other) ?? []);
}

function isOwnThread(pid: number): boolean {
  return existsSync(`/proc/self/task/${pid}`);
}

/** Fields follow the command name, which is in parentheses and may contain anything. */
export function readStat(pid: number): ProcessEntry | undefined {
  const text = readText(`/proc/${pid}/stat`);
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  if (fields === undefined || fields[0] === "Z" || fields[0] === "X") return undefined;
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime: fields[19] ?? "",
  };
}

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
