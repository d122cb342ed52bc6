import { elapsedMs } from "./clock.ts";
import { ChildProcess, spawn } from "node:child_process";
import { setMaxListeners } from "node:events";
import { isGroupAlive, signalGroup } from "./process-tree.ts";
import { LONGEST_TIMER_MS } from "./time-limit.ts";

/** A child to run in its own process group, with its output handed over chunk by chunk. */
export interface ProcessRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to the child's stdin, which is then closed; without it stdin is closed from the start. */
  readonly stdin?: string | Buffer;
  readonly timeoutMs?: number;
  readonly onOutput: (chunk: Buffer, stream: "stdout" | "stderr") => void;
  /** Called as soon as the child exists, before it can have done much. */
  readonly onStarted?: (pid: number) => void;
}

export type ProcessEnd =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "not-started"; readonly detail: string };

/** How long a group may take to end after TERM before it is killed. */
const TERM_GRACE_MS = 2_000;
/** The same when the host wants us gone: Claude Code 2.1.325 sends KILL about 1.5 s after TERM. */
export const HURRIED_GRACE_MS = 600;
/** How long a background process that inherited the output may delay us after its parent has exited. */
const DRAIN_MS = 150;

/** Runs a child to its end. Nothing of its process group is left when this returns; it never throws for what the child does. */
export async function runProcess(request: ProcessRequest, signal?: AbortSignal): Promise<ProcessEnd> {
  if (signal?.aborted) return { kind: "cancelled" };
  const child = tryToStart(request);
  if (!(child instanceof ChildProcess)) return child;
  if (child.pid === undefined) return { kind: "not-started", detail: await spawnError(child) };
  request.onStarted?.(child.pid);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  using interruption = awaitInterruption(request.timeoutMs, signal);
  const end = await Promise.race([exit(child), interruption.came]);
  if (end.kind === "timed-out") await endGroup(child.pid, TERM_GRACE_MS);
  if (end.kind === "cancelled") await endGroup(child.pid, HURRIED_GRACE_MS);
  await letGo(child, child.pid, closed);
  return end;
}

/** TERM, a grace period, KILL: for the group and everything in it. */
export async function endGroup(leaderPid: number, graceMs: number): Promise<void> {
  if (!isGroupAlive(leaderPid)) return;
  signalGroup(leaderPid, "SIGTERM");
  if (await groupEnded(leaderPid, graceMs)) return;
  signalGroup(leaderPid, "SIGKILL");
  await groupEnded(leaderPid, TERM_GRACE_MS);
}

/** The system tells nobody but the parent that a process has ended, so this looks again and again, ever less often. */
async function groupEnded(leaderPid: number, withinMs: number): Promise<boolean> {
  const deadline = elapsedMs() + withinMs;
  for (let pause = 2; isGroupAlive(leaderPid); pause = Math.min(pause * 2, 50)) {
    if (elapsedMs() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return true;
}

/** Node reports some failures to start as events and throws others, such as a command line that is too long. */
function tryToStart(request: ProcessRequest): ChildProcess | ProcessEnd {
  try {
    return start(request);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return { kind: "not-started", detail: error.message };
  }
}

function start(request: ProcessRequest): ChildProcess {
  const [file, ...args] = request.argv;
  const child = spawn(file, args, {
    cwd: request.cwd,
    env: request.env,
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: [request.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  child.on("error", () => {}); // told by spawnError; later ones are failed kills of a child that is gone
  child.stdout?.on("data", (chunk: Buffer) => request.onOutput(chunk, "stdout"));
  child.stderr?.on("data", (chunk: Buffer) => request.onOutput(chunk, "stderr"));
  child.stdin?.on("error", () => {}); // a child may end without reading its input
  child.stdin?.end(request.stdin);
  return child;
}

async function spawnError(child: ChildProcess): Promise<string> {
  const reason = await new Promise<Error>((resolve) => child.once("error", resolve));
  return reason.message;
}

async function exit(child: ChildProcess): Promise<ProcessEnd> {
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once("exit", (...how) => resolve(how)),
  );
  return code === null ? { kind: "killed", signal: signal ?? "unknown" } : { kind: "exited", exitCode: code };
}

/** Comes when the child must go: its time is up, or we are asked to stop. */
function awaitInterruption(
  timeoutMs = Infinity,
  signal?: AbortSignal,
): Disposable & { readonly came: Promise<ProcessEnd> } {
  const waiting: { timer?: NodeJS.Timeout; cancel?: () => void } = {};
  const came = new Promise<ProcessEnd>((resolve) => {
    const timeUp = (): void => resolve({ kind: "timed-out", afterMs: timeoutMs });
    waiting.timer = setTimeout(timeUp, Math.min(timeoutMs, LONGEST_TIMER_MS)).unref();
    waiting.cancel = () => resolve({ kind: "cancelled" });
  });
  const { timer, cancel = () => {} } = waiting;
  if (signal !== undefined) setMaxListeners(0, signal); // every gate of a run listens to the same one
  signal?.addEventListener("abort", cancel);
  return {
    came,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    },
  };
}

/** Collects the last output and ends what the child left behind; a process that holds the pipe cannot hold us. */
async function letGo(child: ChildProcess, pid: number, closed: Promise<void>): Promise<void> {
  const isReadToTheEnd = await comesWithin(DRAIN_MS, closed);
  await endGroup(pid, HURRIED_GRACE_MS);
  if (isReadToTheEnd) return;
  await comesWithin(DRAIN_MS, closed);
  child.stdout?.destroy();
  child.stderr?.destroy();
}

async function comesWithin(ms: number, event: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const came = await Promise.race([event.then(() => true), late]);
  clearTimeout(timer);
  return came;
}
