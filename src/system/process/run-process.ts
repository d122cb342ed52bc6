import { constants } from "node:os";
import { startChild } from "#runtime";
import type { Child, ChildRequest, Exit } from "./runtime.ts";
import { elapsedMs } from "../clock.ts";
import { onAbort, LONGEST_TIMER_MS } from "./time-limit.ts";
import { isGroupAlive, type Leader, signalGroup, straysOf } from "./group.ts";

export interface ProcessRequest extends ChildRequest {
  readonly timeoutMs?: number;
  /** `NAME=value` in the environment of everything it starts, in whatever group or session. */
  readonly mark?: string;
  /** With what the child left in a new session when it exited by itself. */
  readonly onLeftRunning?: (names: readonly string[]) => void;
  /** Before the child can have done much. `since`: `elapsedMs()` just before its start. */
  readonly onStarted?: (pid: number, since: number) => void;
  readonly isSibling?: ((pid: number) => boolean) | undefined;
}

export type ProcessEnd =
  | Exit
  | { readonly kind: "timed-out"; readonly afterMs: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "not-started"; readonly detail: string };

const TERM_GRACE_MS = 2_000;
/** The same if the host wants us gone: Claude Code 2.1.325 sends KILL about 1.5 s after TERM. */
export const HURRIED_GRACE_MS = 600;
/** A background process that inherited the output may delay us by this. */
const DRAIN_MS = 150;

/** Nothing of the child's process group is left when this returns. It never throws for what the child does. */
export async function runProcess(request: ProcessRequest, signal?: AbortSignal): Promise<ProcessEnd> {
  if (signal?.aborted) return { kind: "cancelled" };
  const since = elapsedMs();
  const child = startChild(request);
  if (!("pid" in child)) return { kind: "not-started", detail: await child.detail };
  request.onStarted?.(child.pid, since);
  using interruption = new Interruption(request.timeoutMs, signal);
  const end = await Promise.race([child.exited, interruption.came]);
  if (end.kind === "timed-out") await endGroup(child.pid, TERM_GRACE_MS);
  if (end.kind === "cancelled") await endGroup(child.pid, HURRIED_GRACE_MS);
  await letGo(child);
  const { mark, isSibling } = request;
  if (mark !== undefined)
    await endStrays({ pid: child.pid, mark, ranMs: elapsedMs() - since, isSibling }, request, end);
  return end;
}

/**
 * Kills what has left the child's group. A daemon in its own session that the child left when it exited may serve others
 * (Gradle, Bazel, the user's editor): it is only named.
 */
async function endStrays(leader: Leader, { onLeftRunning }: ProcessRequest, end: ProcessEnd): Promise<void> {
  const { groups, daemons } = straysOf(leader);
  const isOver = end.kind === "timed-out" || end.kind === "cancelled";
  const doomed = [...groups, ...(isOver ? daemons.map(({ group }) => group) : [])];
  await Promise.all(doomed.map((group) => endGroup(group, HURRIED_GRACE_MS)));
  if (!isOver && daemons.length > 0) onLeftRunning?.(daemons.map(({ name }) => name));
}

export async function endGroup(leaderPid: number, graceMs: number): Promise<void> {
  if (!isGroupAlive(leaderPid)) return;
  signalGroup(leaderPid, "SIGTERM");
  if (await groupEnded(leaderPid, graceMs)) return;
  signalGroup(leaderPid, "SIGKILL");
  await groupEnded(leaderPid, TERM_GRACE_MS);
}

/** Only a parent is notified of an exit, so this polls, less and less often. */
async function groupEnded(leaderPid: number, withinMs: number): Promise<boolean> {
  const deadline = elapsedMs() + withinMs;
  for (let pause = 2; isGroupAlive(leaderPid); pause = Math.min(pause * 2, 50)) {
    if (elapsedMs() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return true;
}

class Interruption implements Disposable {
  readonly came: Promise<ProcessEnd>;
  #timer: NodeJS.Timeout | undefined;
  #ignore: (() => void) | undefined;

  constructor(timeoutMs: number | undefined, signal: AbortSignal | undefined) {
    this.came = new Promise((resolve) => {
      if (timeoutMs !== undefined) {
        const isOver = (): void => resolve({ kind: "timed-out", afterMs: timeoutMs });
        this.#timer = setTimeout(isOver, Math.min(timeoutMs, LONGEST_TIMER_MS)).unref();
      }
      this.#ignore = signal && onAbort(signal, () => resolve({ kind: "cancelled" }));
    });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#ignore?.();
  }
}

async function letGo({ pid, closed, letGo: closeOutput }: Child): Promise<void> {
  const isReadToTheEnd = await comesWithin(DRAIN_MS, closed);
  await endGroup(pid, HURRIED_GRACE_MS);
  if (isReadToTheEnd) return;
  await comesWithin(DRAIN_MS, closed);
  closeOutput();
}

async function comesWithin(ms: number, event: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const came = await Promise.race([event.then(() => true), late]);
  clearTimeout(timer);
  return came;
}

export function describeExitCode(exitCode: number): string {
  const meaning = { 126: " (not executable)", 127: " (command not found)" }[exitCode] ?? signalIn(exitCode);
  return `exit code ${exitCode}${meaning}`;
}

const LAST_SIGNAL = 64;

function signalIn(exitCode: number): string {
  const number = exitCode - 128;
  if (number < 1 || number > LAST_SIGNAL) return "";
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return ` (killed by ${name ?? `signal ${number}`})`;
}
