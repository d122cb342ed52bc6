import { statusMessage, type Status } from "../../../core/stop/status.ts";
import { explain, ok, type Result } from "../../../core/trouble.ts";
import { allow, type Verdict } from "../../../core/stop/verdict.ts";
import { handleStop, recordStop, asWoken, withOwnRecord } from "../../../engine/handle-stop.ts";
import type { StopEvent } from "../../../core/stop/stop-event.ts";
import { BACKGROUND_FLAG, jsonAnswer, ONLY_ALLOWED_FLAG, wakingAnswer } from "../../../hosts/protocol.ts";
import { claudeCode } from "../../../hosts/adapters/claude-code.ts";
import { blockCapOf, type Host, type HostAnswer } from "../../../hosts/host.ts";
import { findHost, HOSTS, readStop, refusal } from "../../../hosts/host-table.ts";
import { readStdin } from "../../../machine/process/stdin.ts";
import { startTrace } from "../../../engine/telemetry/start-trace.ts";
import { trace, currentDirectory, type Environment } from "../../../machine/process/environment.ts";
import { elapsedMs } from "../../../machine/clock.ts";
import { writeAll } from "../../../machine/files/files.ts";
import { findProject } from "../../../machine/files/find-project.ts";
import { withOwnCommand, isNative } from "../../../machine/process/runtime.ts";
import { cancellation } from "../../cancellation.ts";
import { forgetBlocksOf } from "../../../machine/state/sessions.ts";

/** Answers an agent's stop: one line on stdout, always, whatever happens. */
export async function runStopHook(args: readonly string[]): Promise<number> {
  using cancel = cancellation(); // until the very end: a signal just before the answer must not take its place
  const log = new HostLog();
  const named = hostNamed(args, log);
  const isBackground = args.includes(BACKGROUND_FLAG);
  const onlyAllowed = args.includes(ONLY_ALLOWED_FLAG);
  const answer = answerOnce({ fallback: named ?? claudeCode, isBackground, log });
  process.on("uncaughtException", (error) => answer(crashed(error, log)));
  try {
    trace(`${isNative() ? "native program" : "Node"} started, our first file read`);
    log.write("Starting gauntlet validation...");
    const answered = await answerStop({ named, isBackground, onlyAllowed, log }, cancel.signal);
    const { host, verdict, record, event, isEnd } = answered;
    const given = answer(verdict, { host, event, isEnd });
    const answeredAt = elapsedMs();
    trace("answered");
    const recorded = await record?.(given);
    if (recorded?.ok === false) log.write(`This stop is not in the ledger. ${explain(recorded.trouble)}`);
    trace("stop recorded");
    const isSent = (await answered.send?.(answeredAt)) ?? true;
    if (answered.send !== undefined) trace(isSent ? "telemetry sent" : "telemetry dropped");
    // The host waits for our end, and a look-up of a collector's name cannot be cancelled. The answer is written.
    // oxlint-disable-next-line unicorn/no-process-exit
    if (!isSent) process.exit(given.exitCode);
    return given.exitCode;
  } catch (error) {
    const verdict = crashed(error, log);
    const { exitCode } = answer(verdict);
    await recordOutside(process.env, verdict).catch(() => undefined); // what broke the stop may break this too
    return exitCode;
  }
}

interface Answered {
  readonly verdict: Verdict;
  readonly host?: Host;
  readonly event?: StopEvent;
  /** Writes down what later stops and `explain` need; after the answer, which matters more. */
  readonly record?: (given: HostAnswer) => Promise<Result<void>>;
  /** Sends telemetry where it is asked for; false when it was dropped. */
  readonly send?: (answeredAt: number) => Promise<boolean>;
  /** Whether nothing was asked: a session or turn has ended. */
  readonly isEnd?: boolean;
}

interface How {
  readonly named: Host | undefined;
  readonly isBackground: boolean;
  readonly onlyAllowed: boolean;
  readonly log: HostLog;
}

async function answerStop(
  { named, isBackground, onlyAllowed, log }: How,
  signal: AbortSignal,
): Promise<Answered> {
  const { env } = process;
  if (env["GAUNTLET_STOP_HOOK_ACTIVE"] || env["GAUNTLET_STOP_HOOK_ACTIVE_ENV"])
    return { verdict: allow("stop_hook_active") };
  const text = await readStdin(signal);
  trace("stdin read");
  const read = readStop(text, { env, cwd: currentDirectory() }, named);
  if (read.kind === "no-stop") {
    const verdict = allow("invalid_input", read);
    return { ...read, verdict, record: () => recordOutside(env, verdict) };
  }
  const { host } = read;
  if (read.kind === "ended") return endSession(read.event, host);
  const event = isBackground ? asWoken(read.event, env) : withOwnRecord(read.event, env);
  if (host.readsStderr !== true && !isBackground) log.flush();
  const traced = await startTrace(env);
  const stop = {
    event,
    env,
    onlyAllowed,
    blockCap: blockCapOf(host, env),
    onRunning: () => log.write("Running gauntlet gates..."),
  };
  const answered = await handleStop({ ...stop, ...traced?.hooks }, signal);
  const { verdict } = answered;
  return {
    host,
    event,
    verdict,
    record: (given) => recordStop({ ...stop, door: "stop-hook" }, answered, given),
    ...(traced === undefined
      ? {}
      : { send: (at: number) => traced.sendStop({ event, door: "stop-hook" }, answered, at) }),
  };
}

/** What was no stop, or broke before its session was known, is in no session; the agent stopped all the same. */
async function recordOutside(env: Environment, { status, decision }: Verdict): Promise<Result<void>> {
  const root = findProject(currentDirectory());
  if (root === undefined) return ok(undefined);
  const { recordVerdict } = await import("../../../engine/proof/record-verdict.ts"); // most stops are stops
  return recordVerdict({ root, env }, { door: "stop-hook", ms: 0, status, decision, outcomes: [] });
}

/** Nobody waits for the answer: what a blocked turn left is forgotten, and nothing is recorded. */
function endSession(event: StopEvent, host: Host): Answered {
  forgetBlocksOf(event, process.env);
  return { host, verdict: allow("stop_hook_disabled", { detail: "nothing to check" }), isEnd: true };
}

interface AnswerTo {
  readonly host?: Host | undefined;
  readonly event?: StopEvent | undefined;
  readonly isEnd?: boolean | undefined;
}

/** The first answer counts: a crash after it must not add a second line. */
function answerOnce({ fallback, isBackground, log }: Pick<How, "isBackground" | "log"> & { fallback: Host }) {
  let given: HostAnswer | undefined;
  return (verdict: Verdict, { host = fallback, event, isEnd }: AnswerTo = {}): HostAnswer => {
    if (given !== undefined) return given;
    log.write(STDERR_LINES[verdict.status] ?? verdict.message);
    const rendered = isEnd ? jsonAnswer({}) : typed(host.render(verdict, event));
    given = isBackground ? wakingAnswer(rendered, host, verdict) : rendered;
    if (given.stderr === "") log.flush();
    writeAll(2, given.stderr);
    writeAll(1, given.stdout);
    process.exitCode = given.exitCode;
    return given;
  };
}

/** The agent and the user get commands that work here. */
function typed({ stdout, stderr, ...answer }: HostAnswer): HostAnswer {
  return { ...answer, stdout: withOwnCommand(stdout), stderr: withOwnCommand(stderr) };
}

function crashed(error: unknown, log: HostLog): Verdict {
  const detail = error instanceof Error ? error.message : String(error);
  log.write(`Stop hook error: ${detail}`);
  const message = statusMessage("error", { detail });
  return { decision: "allow", status: "error", message, notice: `${message}\nThe stop was not checked.` };
}

function hostNamed(args: readonly string[], log: HostLog): Host | undefined {
  const at = args.findIndex((arg) => arg === "--host" || arg.startsWith("--host="));
  const name = args[at]?.split("=")[1] ?? args[at + 1];
  if (at === -1 || name === undefined) return undefined;
  const host = findHost(name);
  if (host === undefined) log.write(`${refusal(name, HOSTS)} Going by what the event looks like.`);
  return host;
}

/** What people see in the host's verbose view, in the words they know. */
const STDERR_LINES: Partial<Readonly<Record<Status, string>>> = {
  passed: "Gauntlet passed!",
  passed_with_warnings: "Gauntlet passed!",
  failed: "Gauntlet failed, blocking stop",
  no_config: "No gauntlet config found, allowing stop",
  stop_hook_active: "Stop hook already active, allowing stop",
  retry_limit_exceeded: "Termination condition met, allowing stop",
  no_changes: "Termination condition met, allowing stop",
  no_applicable_gates: "Termination condition met, allowing stop",
  lock_conflict: "Infrastructure error detected, allowing stop",
  error: "Infrastructure error detected, allowing stop",
};

/** What the host shows in its verbose view; held back until it is known that it does not take stderr for the reason of a block. */
class HostLog {
  #held: string | undefined = "";

  write(line: string): void {
    const text = `[gauntlet] ${line}\n`;
    if (this.#held === undefined) writeAll(2, text);
    else this.#held += text;
  }

  flush(): void {
    writeAll(2, this.#held ?? "");
    this.#held = undefined;
  }
}
