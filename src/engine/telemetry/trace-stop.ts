import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import type { GateOutcome } from "../../core/outcome.ts";
import type { RunEvent } from "../../core/run.ts";
import type { StopEvent } from "../../core/stop-event.ts";
import { elapsedMs, now } from "../../machine/clock.ts";
import type { Environment } from "../../machine/process/environment.ts";
import type { AnsweredStop, Stop } from "../handle-stop.ts";
import type { exportStop } from "./export-stop.ts";

/** A span that was decided on before anybody knew how it ends. */
interface OpenSpan {
  readonly spanId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Where a trace comes from: the host's, or one that begins here. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId?: string;
  /** The host may have decided that this trace is not kept. */
  readonly isSampled: boolean;
}

/** A stop as a collector gets it. */
export interface TracedStop {
  readonly parent: TraceParent;
  readonly stop: OpenSpan & { readonly ms: number };
  readonly gates: readonly (OpenSpan & { readonly outcome: GateOutcome })[];
  readonly facts: {
    readonly host: string;
    readonly session: string | undefined;
    readonly project: string | undefined;
    readonly status: string;
    readonly decision: string;
    /** Blocks given to this session so far. */
    readonly attempt: number;
  };
}

/** What the hook may spend on telemetry after its answer: hosts wait until it has ended. */
const BUDGET_MS = 300;

/** Follows one stop for OpenTelemetry. The SDK is loaded while the gates run, or after the answer. */
export class StopTrace {
  readonly #env: Environment;
  readonly #parent: TraceParent;
  readonly #stop: OpenSpan = { spanId: newId(8), startedAt: now() };
  readonly #gates = new Map<string, OpenSpan>();
  readonly #since = elapsedMs();
  #exporting: Promise<{ readonly exportStop: typeof exportStop }> | undefined;

  constructor(env: Environment) {
    this.#env = env;
    this.#parent = parentIn(env["TRACEPARENT"]);
  }

  /** What the run must tell us, and what its gates get as `TRACEPARENT`, so that their own spans are below theirs. */
  get hooks(): Required<Pick<Stop, "onEvent" | "traceparentOf">> {
    return {
      onEvent: (event) => this.#note(event),
      traceparentOf: (gate) => {
        const { traceId, isSampled } = this.#parent;
        return `00-${traceId}-${this.#spanOf(gate).spanId}-${isSampled ? "01" : "00"}`;
      },
    };
  }

  #note(event: RunEvent): void {
    if (event.kind !== "gate-started") return;
    this.#spanOf(event.planned.id);
    this.#exporting ??= import("./export-stop.ts");
  }

  /** Sends the stop within what is left of the budget. False when it was dropped, and what is under way must not be waited for. */
  async send(event: StopEvent, answered: AnsweredStop, answeredAt: number): Promise<boolean> {
    const sdk = await (this.#exporting ?? import("./export-stop.ts"));
    const leftMs = BUDGET_MS - (elapsedMs() - answeredAt);
    return sdk.exportStop(this.#traced(event, answered, answeredAt), { env: this.#env, leftMs });
  }

  #spanOf(gate: string): OpenSpan {
    const span = this.#gates.get(gate) ?? { spanId: newId(8), startedAt: now() };
    this.#gates.set(gate, span);
    return span;
  }

  #traced(event: StopEvent, { verdict, record, facts }: AnsweredStop, answeredAt: number): TracedStop {
    return {
      parent: this.#parent,
      stop: { ...this.#stop, ms: answeredAt - this.#since },
      gates: (facts?.outcomes ?? []).map((outcome) => ({ ...this.#spanOf(outcome.id), outcome })),
      facts: {
        host: event.host,
        session: event.sessionId,
        project: record.root === undefined ? undefined : basename(record.root),
        status: verdict.status,
        decision: verdict.decision,
        attempt: record.blocked?.attempts ?? 0,
      },
    };
  }
}

/** W3C Trace Context; anything else is ignored. */
function parentIn(text: string | undefined): TraceParent {
  const [, traceId = "", spanId = "", flags = ""] =
    /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/.exec(text ?? "") ?? [];
  const isValid = /[^0]/.test(traceId) && /[^0]/.test(spanId);
  return isValid
    ? { traceId, spanId, isSampled: Number.parseInt(flags, 16) % 2 === 1 }
    : { traceId: newId(16), isSampled: true };
}

function newId(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}
