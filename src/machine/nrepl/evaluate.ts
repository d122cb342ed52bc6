import type { ServerAddress } from "./connection.ts";
import { timeLimit } from "../process/time-limit.ts";
import type { Reply } from "./reply.ts";
import { NreplSession } from "./session.ts";

/** Code for a server, with a time limit of its own. */
export interface EvaluationRequest {
  readonly server: ServerAddress;
  readonly code: string;
  readonly timeoutMs: number;
  /** Everything the evaluation prints, in order, and its values and exceptions. */
  readonly onOutput: (chunk: Buffer) => void;
}

export type EvaluationEnd =
  | {
      readonly kind: "evaluated";
      readonly values: readonly string[];
      /** The end of what was printed to `*out*`. */
      readonly printed: string;
      readonly exception?: string;
    }
  | { readonly kind: "timed-out" }
  | { readonly kind: "cancelled" }
  /** Nobody there, or nobody who speaks nREPL. `begun` says whether the code had been sent. */
  | { readonly kind: "no-server"; readonly detail: string; readonly begun: boolean };

const KEPT_VALUES = 100;
const KEPT_CHARACTERS = 64 * 1024;

/** Evaluates code in a session of its own and connection of its own; what runs over its time is interrupted. */
export async function evaluate(request: EvaluationRequest, signal: AbortSignal): Promise<EvaluationEnd> {
  const over = timeLimit(request.timeoutMs, signal);
  const opened = await NreplSession.open(request.server, over);
  if (!(opened instanceof NreplSession)) {
    return signal.aborted
      ? { kind: "cancelled" }
      : { kind: "no-server", detail: opened.detail, begun: false };
  }
  await using session = opened;
  const transcript = new Transcript(request.onOutput);
  const end = await session.evaluate(request.code, (reply) => transcript.take(reply), over);
  if (end?.kind === "lost") return { kind: "no-server", detail: end.detail, begun: true };
  if (end !== undefined) return transcript.conclude(end.last.status);
  return signal.aborted ? { kind: "cancelled" } : { kind: "timed-out" };
}

/** What the replies of one evaluation add up to; memory stays bounded however much is printed. */
class Transcript {
  readonly #onOutput: (chunk: Buffer) => void;
  readonly #values: string[] = [];
  #printed = "";
  #exception: string | undefined;
  #failed = false;

  constructor(onOutput: (chunk: Buffer) => void) {
    this.#onOutput = onOutput;
  }

  take({ out, err, value, exception, status }: Reply): void {
    for (const text of [out, err]) if (text !== undefined) this.#onOutput(Buffer.from(text));
    this.#printed = (this.#printed + (out ?? "")).slice(-KEPT_CHARACTERS);
    if (value !== undefined) {
      this.#onOutput(Buffer.from(`=> ${value}\n`));
      this.#values.push(value.slice(0, KEPT_CHARACTERS));
      if (this.#values.length > KEPT_VALUES) this.#values.shift();
    }
    this.#exception ??= exception;
    this.#failed ||= status.includes("eval-error") || status.includes("interrupted");
  }

  /** A server that refuses the request altogether (`unknown-op`) has evaluated nothing. */
  conclude(status: readonly string[]): EvaluationEnd {
    if (status.includes("error") && this.#exception === undefined && !this.#failed) {
      const reasons = status.filter((word) => word !== "done" && word !== "error");
      return { kind: "no-server", detail: `it refuses to evaluate: ${reasons.join(", ")}`, begun: true };
    }
    const exception = this.#exception ?? (this.#failed ? "the evaluation was ended by an error" : undefined);
    const ending = { kind: "evaluated", values: this.#values, printed: this.#printed } as const;
    return exception === undefined ? ending : { ...ending, exception };
  }
}
