import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import type { GateOutcome } from "../../gates/outcome.ts";
import type { RunEvent } from "../../run/request.ts";
import type { RunResult } from "../../run/result.ts";
import type { StopEvent } from "../../hosts/stop-event.ts";
import { elapsedMs, now } from "../../system/clock.ts";
import type { Environment } from "../../system/process/environment.ts";
import type { AnsweredStop, Stop } from "../../stop/handle-stop.ts";
import { retriesIn } from "../../stop/session.ts";
import type { exportTraced } from "./export-stop.ts";

interface OpenSpan {
  readonly spanId: string;
  readonly startedAt: number;
}

export interface TraceParent {
  readonly traceId: string;
  readonly spanId?: string;
  /** The host may have decided not to keep this trace. */
  readonly isSampled: boolean;
}

export interface Traced {
  readonly parent: TraceParent;
  readonly whole: OpenSpan & { readonly ms: number };
  readonly gates: readonly (OpenSpan & { readonly outcome: GateOutcome })[];
  readonly facts: TracedFacts;
}

/** A run has no host and no decision. */
interface TracedFacts {
  readonly kind: "stop" | "run";
  readonly door: string;
  readonly status: string;
  readonly project?: string | undefined;
  readonly host?: string | undefined;
  readonly session?: string | undefined;
  readonly decision?: string | undefined;
  readonly attempt?: number | undefined;
}

interface ExportModule {
  readonly exportTraced: typeof exportTraced;
}

/** After the answer: agents and users wait until the program has ended. */
const BUDGET_MS = 300;
const SDK_BUDGET_MS = 5_000;

export type TraceHooks = Required<Pick<Stop, "onEvent" | "traceparentOf">>;

/** Follows one stop or run. Loads the OpenTelemetry SDK while the gates run, or after the answer. */
export class RunTrace {
  readonly #env: Environment;
  readonly #parent: TraceParent;
  readonly #whole: OpenSpan = { spanId: newId(8), startedAt: now() };
  readonly #gates = new Map<string, OpenSpan>();
  readonly #since = elapsedMs();
  #exporting: Promise<ExportModule> | undefined;

  constructor(env: Environment) {
    this.#env = env;
    this.#parent = parentIn(env["TRACEPARENT"]);
  }

  /** Gates get a `TRACEPARENT`, so that their spans are below ours. */
  get hooks(): TraceHooks {
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
    void this.#loadExport();
  }

  /** False if it was dropped; then nothing must wait for what is under way. */
  async sendStop(
    { event, door }: { readonly event: StopEvent; readonly door: string },
    { verdict, session, root, facts }: AnsweredStop,
    answeredAt: number,
  ): Promise<boolean> {
    const told = {
      kind: "stop",
      door,
      host: event.host,
      session: event.sessionId,
      project: nameOf(root ?? (door === "brepl" ? event.cwd : undefined)),
      status: verdict.status,
      decision: verdict.decision,
      attempt: root === undefined ? 0 : retriesIn(session.value, root).attempts,
    } as const;
    return this.#send(told, facts?.outcomes ?? [], answeredAt);
  }

  async sendRun(
    { door, root }: { readonly door: string; readonly root: string | undefined },
    { status, outcomes }: Pick<RunResult, "status" | "outcomes">,
    endedAt: number,
  ): Promise<boolean> {
    return this.#send({ kind: "run", door, project: nameOf(root), status }, outcomes, endedAt);
  }

  async #send(facts: TracedFacts, outcomes: readonly GateOutcome[], endedAt: number): Promise<boolean> {
    const sdk = await this.#loadExport();
    const budgetMs = facts.door === "sdk" ? SDK_BUDGET_MS : BUDGET_MS;
    const leftMs = budgetMs - (elapsedMs() - endedAt);
    const whole = { ...this.#whole, ms: endedAt - this.#since };
    const gates = outcomes.map((outcome) => ({ ...this.#spanOf(outcome.id), outcome }));
    return sdk.exportTraced({ parent: this.#parent, whole, gates, facts }, { env: this.#env, leftMs });
  }

  #loadExport(): Promise<ExportModule> {
    this.#exporting ??= import("./export-stop.ts");
    return this.#exporting;
  }

  #spanOf(gate: string): OpenSpan {
    const span = this.#gates.get(gate) ?? { spanId: newId(8), startedAt: now() };
    this.#gates.set(gate, span);
    return span;
  }
}

function nameOf(root: string | undefined): string | undefined {
  return root === undefined ? undefined : basename(root);
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
