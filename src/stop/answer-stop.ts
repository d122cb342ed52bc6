import { startTrace } from "../features/telemetry/start-trace.ts";
import type { TraceHooks } from "../features/telemetry/trace-stop.ts";
import { elapsedMs } from "../system/clock.ts";
import { trace } from "../system/process/environment.ts";
import type { Result } from "../trouble.ts";
import type { Door } from "./early-exits.ts";
import type { AnsweredStop, Stop } from "./handle-stop.ts";
import { recordStop } from "./record-stop.ts";
import type { Verdict } from "./verdict.ts";

/** What one front end does with a stop. */
interface FrontEnd<Asked, Answer> {
  readonly door: Door;
  readonly decide: (stop: Asked & Partial<TraceHooks>, signal: AbortSignal) => Promise<AnsweredStop>;
  /** Gives the answer to the host. */
  readonly give: (verdict: Verdict) => Answer;
}

interface Answered<Answer> {
  readonly given: Answer;
  /** Whether the verdict is in the ledger. */
  readonly recorded: Result<void>;
  /** Whether telemetry was sent, or is not wanted; what is under way must not be waited for. */
  readonly sent: Promise<boolean>;
}

/** One stop of any front end: decided, answered, and then, because the answer matters more, written down and sent to a collector. */
export async function answerStop<
  Asked extends Pick<Stop, "event" | "env">,
  Answer extends { readonly stdout: string; readonly exitCode: number },
>(asked: Asked, front: FrontEnd<Asked, Answer>, signal: AbortSignal): Promise<Answered<Answer>> {
  const since = elapsedMs();
  const { door } = front;
  const traced = await startTrace(asked.env);
  const answered = await front.decide({ ...asked, ...traced?.hooks }, signal);
  const given = front.give(answered.verdict);
  const answeredAt = elapsedMs();
  trace("answered");
  const { stdout, exitCode } = given;
  const recorded = await recordStop(asked, answered, { door, stdout, exitCode, since });
  trace("stop recorded");
  const sent = traced?.sendStop({ event: asked.event, door }, answered, answeredAt);
  return { given, recorded, sent: sent ?? Promise.resolve(true) };
}
