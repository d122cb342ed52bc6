import { isRecord } from "../../../core/json.ts";
import { allow, type Verdict } from "../../../core/stop/verdict.ts";
import { handleBreplStop, forgetBreplSession } from "../../../engine/brepl.ts";
import { elapsedMs } from "../../../machine/clock.ts";
import { startTrace } from "../../../engine/telemetry/start-trace.ts";
import { recordStop } from "../../../engine/handle-stop.ts";
import { currentDirectory, trace } from "../../../machine/process/environment.ts";
import { renderBrepl } from "../../../hosts/adapters/brepl.ts";
import { claudeCode } from "../../../hosts/adapters/claude-code.ts";
import { textOf } from "../../../hosts/protocol.ts";
import { writeAll } from "../../../machine/files/files.ts";
import type { BreplOptions } from "../../tables/brepl-commands.ts";
import { cancellation } from "../../cancellation.ts";
import { EXIT } from "../../exit-code.ts";
import { readStdin } from "../../../machine/process/stdin.ts";

/** `brepl hook stop`: may the agent stop? */
export async function breplStop(options: BreplOptions): Promise<number> {
  trace("first file read");
  const { verdict, record, send } = await decide(options);
  const answer = renderBrepl(verdict);
  writeAll(2, answer.stderr);
  writeAll(1, answer.stdout);
  trace("answered");
  const answeredAt = elapsedMs();
  await record?.(answer);
  const isSent = (await send?.(answeredAt)) ?? true;
  // The host waits for our end, and a look-up of a collector's name cannot be cancelled. The answer is written.
  // oxlint-disable-next-line unicorn/no-process-exit
  if (!isSent) process.exit(answer.exitCode);
  return answer.exitCode;
}

interface Decided {
  readonly verdict: Verdict;
  readonly record?: (answer: { readonly stdout: string; readonly exitCode: number }) => unknown;
  /** Sends telemetry where it is asked for; false when it was dropped. */
  readonly send?: (answeredAt: number) => Promise<boolean>;
}

async function decide({ replServer }: BreplOptions): Promise<Decided> {
  const { env } = process;
  if (env["GAUNTLET_STOP_HOOK_ACTIVE"] || env["GAUNTLET_STOP_HOOK_ACTIVE_ENV"])
    return { verdict: { ...allow("stop_hook_active"), message: "already inside a stop hook" } };
  using cancelled = cancellation();
  const { signal } = cancelled; // each hook has its own time limit, and all of them the host's
  const read = await readEvent(signal);
  trace("stdin read");
  if (!read.ok) return { verdict: invalidInput(`Error parsing Stop event JSON: ${read.problem}`) };
  const cwd = currentDirectory();
  const parsed = claudeCode.parse(read.payload, { env, cwd });
  if (parsed.kind !== "stop" || parsed.event.kind !== undefined) {
    const name = parsed.kind === "other-event" ? parsed.name : textOf(read.payload, "hook_event_name");
    return { verdict: invalidInput(`${name} is not a Stop event: no hook was run`) };
  }
  const { event } = parsed;
  const stop = { event, cwd, env, replServer };
  const traced = await startTrace(env);
  const answered = await handleBreplStop({ ...stop, ...traced?.hooks }, signal);
  const { verdict } = answered;
  return {
    verdict,
    record: (answer) => recordStop({ ...stop, door: "brepl" }, answered, answer),
    ...(traced === undefined
      ? {}
      : { send: (at) => traced.sendStop({ event, door: "brepl" }, answered, at) }),
  };
}

function invalidInput(notice: string): Verdict {
  return { decision: "allow", status: "invalid_input", message: "no valid Stop event", notice };
}

/** `brepl hook session-end`: nothing of the session is left behind. */
export async function breplSessionEnd(): Promise<number> {
  using cancelled = cancellation();
  const read = await readEvent(cancelled.signal);
  if (!read.ok) {
    process.stderr.write(`Error parsing SessionEnd event JSON: ${read.problem}\n`);
    return EXIT.notOk;
  }
  const sessionId = textOf(read.payload, "session_id");
  const transcriptPath = textOf(read.payload, "transcript_path");
  const forgotten = forgetBreplSession({ sessionId, transcriptPath }, currentDirectory());
  if (forgotten === undefined) return EXIT.ok;
  process.stderr.write(`${forgotten}\n`);
  return EXIT.notOk;
}

export type ReadEvent =
  | { readonly ok: true; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** The event a host writes to our stdin: one JSON object. */
export async function readEvent(signal: AbortSignal): Promise<ReadEvent> {
  const text = await readStdin(signal);
  if (text === "") return { ok: false, problem: "nothing on stdin" };
  const value = parse(text);
  if (value instanceof SyntaxError) return { ok: false, problem: value.message };
  return isRecord(value) ? { ok: true, payload: value } : { ok: false, problem: "not a JSON object" };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}
