import { isRecord } from "../json.ts";
import { allow, type Verdict } from "../stop/verdict.ts";
import { handleBreplStop, forgetBreplSession } from "./handle-stop.ts";
import type { StopEvent } from "../hosts/stop-event.ts";
import { answerStop } from "../stop/answer-stop.ts";
import { currentDirectory, trace } from "../system/process/environment.ts";
import { renderBrepl } from "./render.ts";
import { claudeCode } from "../hosts/claude-code.ts";
import { textOf } from "../hosts/protocol.ts";
import { kindOf, writeAll } from "../system/files/files.ts";
import type { BreplOptions } from "./options.ts";
import { cancellation } from "../system/process/cancellation.ts";
import { EXIT } from "../report/exit-code.ts";
import { isTooLong, readStdin, TOO_LONG } from "../system/process/stdin.ts";

export async function breplStop({ replServer }: BreplOptions): Promise<number> {
  trace("first file read");
  const { env } = process;
  if (env["GAUNTLET_STOP_HOOK_ACTIVE"] || env["GAUNTLET_STOP_HOOK_ACTIVE_ENV"])
    return give({ ...allow("stop_hook_active"), message: "already inside a stop hook" }).exitCode;
  using cancelled = cancellation();
  const { signal } = cancelled; // each hook has its own time limit, and all of them the host's
  const asked = await readStopEvent(env, signal);
  if (!asked.ok) return give(invalidInput(asked.problem)).exitCode;
  const stop = { event: asked.event, cwd: placeOf(asked.event), env, replServer };
  const { given, sent } = await answerStop(stop, { door: "brepl", decide: handleBreplStop, give }, signal);
  // The host waits for our end, and a look-up of a collector's name cannot be cancelled. The answer is written.
  // oxlint-disable-next-line unicorn/no-process-exit
  if (!(await sent)) process.exit(given.exitCode);
  return given.exitCode;
}

/** The directory we were started in; where that was deleted under us, the one the event names. */
function placeOf(event: StopEvent): string {
  const here = currentDirectory();
  return kindOf(here) === "missing" ? event.cwd : here;
}

function give(verdict: Verdict): ReturnType<typeof renderBrepl> {
  const answer = renderBrepl(verdict);
  writeAll(2, answer.stderr);
  writeAll(1, answer.stdout);
  return answer;
}

type AskedStop =
  { readonly ok: true; readonly event: StopEvent } | { readonly ok: false; readonly problem: string };

async function readStopEvent(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AskedStop> {
  const read = await readEvent(signal);
  trace("stdin read");
  if (!read.ok) return { ok: false, problem: `Error parsing Stop event JSON: ${read.problem}` };
  const parsed = claudeCode.parse(read.payload, { env, cwd: currentDirectory() });
  if (parsed.kind === "stop" && parsed.event.kind === undefined) return { ok: true, event: parsed.event };
  const name = parsed.kind === "other-event" ? parsed.name : textOf(read.payload, "hook_event_name");
  return { ok: false, problem: `${name} is not a Stop event: no hook was run` };
}

function invalidInput(notice: string): Verdict {
  return { decision: "allow", status: "invalid_input", message: "no valid Stop event", notice };
}

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

type ReadEvent =
  | { readonly ok: true; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

async function readEvent(signal: AbortSignal): Promise<ReadEvent> {
  const text = await readStdin(signal);
  if (text === "") return { ok: false, problem: "nothing on stdin" };
  try {
    const payload: unknown = JSON.parse(text);
    return isRecord(payload) ? { ok: true, payload } : { ok: false, problem: "not a JSON object" };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: isTooLong(text) ? TOO_LONG : problem };
  }
}
