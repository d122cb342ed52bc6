import { type ServerAddress, type Reply, NreplConnection, type Answered, type Lost } from "./connection.ts";
import { inTime, timeLimit } from "../process/time-limit.ts";
import { setTimeout as delay } from "node:timers/promises";

export interface EvaluationRequest {
  readonly server: ServerAddress;
  readonly code: string;
  readonly timeoutMs: number;
  readonly onOutput: (chunk: Buffer) => void;
}

export type EvaluationEnd =
  | {
      readonly kind: "evaluated";
      readonly values: readonly string[];
      readonly printed: string;
      readonly exception?: string;
    }
  | { readonly kind: "timed-out" }
  | { readonly kind: "cancelled" }
  /** `begun`: the code had been sent. */
  | { readonly kind: "no-server"; readonly detail: string; readonly begun: boolean };

const KEPT_VALUES = 100;
const KEPT_CHARACTERS = 64 * 1024;

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

  /** After `unknown-op` nothing was evaluated. */
  conclude(status: readonly string[]): EvaluationEnd {
    if (status.includes("error") && this.#exception === undefined && !this.#failed) {
      const reasons = status.filter((word) => word !== "done" && word !== "error");
      return { kind: "no-server", detail: `it refuses to evaluate: ${reasons.join(", ")}`, begun: true };
    }
    const exception = this.#exception ?? (this.#failed ? "the evaluation was ended by an error" : undefined);
    return { kind: "evaluated", values: this.#values, printed: this.#printed, exception };
  }
}

/** A starting server accepts connections before it can answer. */
const READY_WITHIN_MS = 5_000;
const PAUSE_BETWEEN_TRIES_MS = 100;
const INTERRUPT_MS = 500;
const GOODBYE_MS = 200;

/** A session of our own: the one of the user's editor stays as it is. */
class NreplSession {
  readonly #connection: NreplConnection;
  readonly #session: { readonly session?: string };

  static async open(address: ServerAddress, signal: AbortSignal): Promise<NreplSession | Lost> {
    const ready = timeLimit(READY_WITHIN_MS, signal);
    for (;;) {
      const session = await NreplSession.#tryToOpen(address, ready);
      if (session instanceof NreplSession || ready.aborted || !wasHungUp(session)) return session;
      await delay(PAUSE_BETWEEN_TRIES_MS);
    }
  }

  static async #tryToOpen(address: ServerAddress, ready: AbortSignal): Promise<NreplSession | Lost> {
    const connection = await NreplConnection.open(address, ready);
    if (!(connection instanceof NreplConnection)) return connection;
    const cloned = await inTime(connection.request({ op: "clone" }).end, ready);
    if (cloned?.kind === "answered") return new NreplSession(connection, cloned.last.newSession);
    await connection.close(GOODBYE_MS);
    return cloned ?? { kind: "lost", detail: "it accepts connections but does not answer" };
  }

  /** A server without sessions answers `clone` with an error; then all happens in its only one. */
  private constructor(connection: NreplConnection, session: string | undefined) {
    this.#connection = connection;
    this.#session = session === undefined ? {} : { session };
  }

  async evaluate(
    code: string,
    onReply: (reply: Reply) => void,
    signal: AbortSignal,
  ): Promise<Answered | Lost | undefined> {
    const request = this.#connection.request({ op: "eval", code, ...this.#session }, (reply) => {
      if (reply.status.includes("need-input")) this.#endInput();
      onReply(reply);
    });
    const end = await inTime(request.end, signal);
    if (end === undefined) await this.#interrupt(request.id);
    return end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#session.session !== undefined) {
      const goodbye = this.#connection.request({ op: "close", ...this.#session });
      await inTime(goodbye.end, timeLimit(GOODBYE_MS));
    }
    await this.#connection.close(GOODBYE_MS);
  }

  #endInput(): void {
    void this.#connection.request({ op: "stdin", stdin: "", ...this.#session }).end;
  }

  async #interrupt(id: string): Promise<void> {
    const request = this.#connection.request({ op: "interrupt", "interrupt-id": id, ...this.#session });
    await inTime(request.end, timeLimit(INTERRUPT_MS));
  }
}

/** A closed port stays closed; one that hangs up may be a server still starting. */
function wasHungUp({ detail }: Lost): boolean {
  return /ECONNRESET|EPIPE|closed the connection/.test(detail);
}
