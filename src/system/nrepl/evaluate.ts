import { type ServerAddress, type Reply, NreplConnection, type Answered, type Lost } from "./connection.ts";
import { timeLimit } from "../process/time-limit.ts";
import { setTimeout as delay } from "node:timers/promises";

/** Code for a server, with its time limit. */
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
  /** No server there, or not an nREPL server. `begun` says whether the code had been sent. */
  | { readonly kind: "no-server"; readonly detail: string; readonly begun: boolean };

const KEPT_VALUES = 100;
const KEPT_CHARACTERS = 64 * 1024;

/** Evaluates code in its own session and connection; interrupts it at its time limit. */
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

/** How long a server that is up may take to be ready: it accepts connections before it can answer. */
const READY_WITHIN_MS = 5_000;
const PAUSE_BETWEEN_TRIES_MS = 100;
/** How long an interrupted evaluation may take to say so. */
const INTERRUPT_MS = 500;
/** How long a server may take to say goodbye. */
const GOODBYE_MS = 200;

/** A session of our own on a server, so that nothing we do changes the one of the user's editor. */
class NreplSession {
  readonly #connection: NreplConnection;
  readonly #session: { readonly session?: string };

  /** Connects and waits, for a short while, until the server answers. */
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

  /** A server that knows no sessions answers `clone` with an error; then everything happens in its only one. */
  private constructor(connection: NreplConnection, session: string | undefined) {
    this.#connection = connection;
    this.#session = session === undefined ? {} : { session };
  }

  /** Evaluates code until the server is done with it, the connection is lost or `signal` says stop. */
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

  /** There is no input: code that reads gets end of input. */
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

/** The value of a promise, or nothing when `signal` comes first. */
async function inTime<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  const over = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  return Promise.race([promise, over]);
}
