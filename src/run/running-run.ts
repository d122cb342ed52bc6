import type { LogDir } from "../system/logs/log-dir.ts";
import { lockHolder } from "../system/state/lock.ts";
import { namesIn, modifiedAt, readText } from "../system/files/files.ts";

/** A run that goes on in a work tree. */
interface RunningRun {
  readonly since: number;
  readonly session: string | undefined;
  /** Nobody waits for it: it runs while the agent works. */
  readonly isAhead: boolean;
  /** Undefined until it has begun to write its log. */
  readonly run: number | undefined;
  /** The ids of the gates that have started and not ended. */
  readonly gates: readonly string[];
  readonly finished: number;
}

const MOST_LOG_BYTES = 16 * 1024 * 1024;

/** The run that holds the lock of a work tree, and how far it is by its log. */
export function runningRun({ path, lockFile }: LogDir): RunningRun | undefined {
  const holder = lockHolder(lockFile);
  if (holder === undefined) return undefined;
  const numbers = namesIn(path).map((name) => Number(/^console\.(\d{1,9})\.log$/.exec(name)?.[1] ?? 0));
  const run = numbers.reduce((most, number) => Math.max(most, number), 0);
  const file = `${path}/console.${run}.log`;
  const since = Date.parse(holder.since);
  const isItsLog = (modifiedAt(file) ?? 0) >= since;
  const log = isItsLog ? readText(file, MOST_LOG_BYTES) : undefined;
  const { gates, finished } = runningGates(log?.ok === true ? log.value : "");
  const { session, isAhead = false } = holder.by ?? {};
  return { since, session, isAhead, run: isItsLog && run > 0 ? run : undefined, gates, finished };
}

/** The gates that have started and not ended, and how many have ended, from the log of a run that is going on. */
export function runningGates(consoleLog: string): {
  readonly gates: readonly string[];
  readonly finished: number;
} {
  const lines = consoleLog.split("\n");
  const started = lines.filter((line) => line.startsWith("[START] ")).map((line) => line.slice(8));
  const ended = lines.filter((line) => /^\[(?:PASS|FAIL|WARN|ERROR|SKIP)\] .* \(/.test(line));
  const hasEnded = (id: string): boolean => ended.some((line) => line.includes(`] ${id} (`));
  return { gates: started.filter((id) => !hasEnded(id)), finished: ended.length };
}
