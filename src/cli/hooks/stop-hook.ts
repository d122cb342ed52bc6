import { statusMessage, type Status } from "../../stop/status.ts";
import { explain } from "../../trouble.ts";
import { allow, type Verdict } from "../../stop/verdict.ts";
import { answerStop } from "../../stop/answer-stop.ts";
import { recordOutsideSession } from "../../stop/record-stop.ts";
import { asWoken, withOwnRecord } from "../../stop/same-prompt.ts";
import { handleStop, type Stop } from "../../stop/handle-stop.ts";
import type { StopEvent } from "../../hosts/stop-event.ts";
import { BACKGROUND_FLAG, jsonAnswer, ONLY_ALLOWED_FLAG, wakingAnswer } from "../../hosts/protocol.ts";
import { claudeCode } from "../../hosts/claude-code.ts";
import { blockCapOf, type Host, type HostAnswer } from "../../hosts/host.ts";
import { findHost, HOSTS, readStop, refusal } from "../../hosts/host-table.ts";
import { isTooLong, readStdin, TOO_LONG } from "../../system/process/stdin.ts";
import { trace, currentDirectory, DOCTOR_VARIABLE } from "../../system/process/environment.ts";
import { findProject } from "../../system/files/find-project.ts";
import { writeAll } from "../../system/files/files.ts";
import { withOwnCommand, isNative } from "../../system/process/runtime.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import { forgetBlocksOf } from "../../stop/session-store.ts";

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
    const asked = await readQuestion({ named, isBackground, onlyAllowed, log }, cancel.signal);
    if (asked.kind === "answered") {
      const { exitCode } = answer(asked.verdict, asked);
      if (asked.isNoStop) await recordOutsideSession(process.env, asked.verdict);
      return exitCode;
    }
    const { host, stop } = asked;
    const give = (verdict: Verdict): HostAnswer => answer(verdict, { host, event: stop.event });
    const front = { door: "stop-hook" as const, decide: handleStop, give };
    const { given, recorded, sent } = await answerStop(stop, front, cancel.signal);
    if (!recorded.ok) log.write(`This stop is not in the ledger. ${explain(recorded.trouble)}`);
    const isSent = await sent;
    if (!isSent) trace("telemetry dropped");
    // The host waits for our end, and a look-up of a collector's name cannot be cancelled. The answer is written.
    // oxlint-disable-next-line unicorn/no-process-exit
    if (!isSent) process.exit(given.exitCode);
    return given.exitCode;
  } catch (error) {
    const verdict = crashed(error, log);
    const { exitCode } = answer(verdict);
    await recordOutsideSession(process.env, verdict).catch(() => undefined); // what broke the stop may break this too
    return exitCode;
  }
}

type Question =
  | { readonly kind: "stop"; readonly host: Host; readonly stop: Stop }
  | {
      readonly kind: "answered";
      readonly verdict: Verdict;
      readonly host?: Host;
      readonly isEnd?: boolean;
      readonly isNoStop?: boolean;
    };

interface How {
  readonly named: Host | undefined;
  readonly isBackground: boolean;
  readonly onlyAllowed: boolean;
  readonly log: HostLog;
}

async function readQuestion(
  { named, isBackground, onlyAllowed, log }: How,
  signal: AbortSignal,
): Promise<Question> {
  const { env } = process;
  const word = env[DOCTOR_VARIABLE];
  if (word) return { kind: "answered", verdict: blockForDoctor(word) };
  if (env["GAUNTLET_STOP_HOOK_ACTIVE"] || env["GAUNTLET_STOP_HOOK_ACTIVE_ENV"])
    return { kind: "answered", verdict: allow("stop_hook_active") };
  const text = await readStdin(signal);
  trace("stdin read");
  const read = readStop(text, { env, cwd: currentDirectory() }, named);
  if (read.kind === "no-stop") {
    const { host, detail = isTooLong(text) ? TOO_LONG : undefined } = read;
    return { kind: "answered", verdict: allow("invalid_input", { detail }), host, isNoStop: true };
  }
  const { host } = read;
  if (read.kind === "ended") return endSession(read.event, host);
  const event = isBackground ? asWoken(read.event, env) : withOwnRecord(read.event, env);
  if (host.readsStderr !== true && !isBackground) log.flush();
  const onRunning = (): void => log.write("Running gauntlet gates...");
  return {
    kind: "stop",
    host,
    stop: { event, env, onlyAllowed, blockCap: blockCapOf(host, env), onRunning },
  };
}

function blockForDoctor(word: string): Verdict {
  const message = "agent-gauntlet doctor tries whether a block goes through.";
  return { decision: "block", status: "failed", message, feedback: `${message} ${word}` };
}

/** Nobody waits for the answer: what a blocked turn left is forgotten, and nothing is recorded. */
async function endSession(event: StopEvent, host: Host): Promise<Question> {
  forgetBlocksOf(event, process.env);
  await endAheadOf(event);
  return {
    kind: "answered",
    host,
    verdict: allow("stop_hook_disabled", { detail: "nothing to check" }),
    isEnd: true,
  };
}

/** Nothing runs ahead of a stop that cannot come any more. */
async function endAheadOf(event: StopEvent): Promise<void> {
  const root = findProject(event.cwd);
  if (root !== undefined) (await import("../../features/ahead/end-ahead.ts")).endAheadOf(event, root);
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
