import type { PastStop, Reasoned, StopRecord } from "../../core/record/session-record.ts";
import type { VerdictRecord } from "../../core/record/verdict-record.ts";
import { headOf } from "../explain-stop.ts";
import { line } from "./json.ts";
import { verdictJson } from "./proof-json.ts";
import { type CiPlan, matrixOf } from "../ci-workflow.ts";

/** What `doctor` found for one host. */
export interface HostDiagnosis {
  readonly host: string;
  readonly registered: boolean;
  readonly findings: readonly { readonly check: string; readonly level: string; readonly text: string }[];
}

export function doctorJson(
  configuration: { readonly level: string; readonly text: string },
  hosts: readonly HostDiagnosis[],
): string {
  return line("doctor", { configuration, hosts });
}

/** Of a stop that another of its session followed, only what the ledger has is known. */
export function explainJson(stop: PastStop): string {
  const { line: recorded, details } = stop;
  const { at, decision, status, message } = headOf(stop);
  const { verdict, run, answer } = details ?? {};
  return line("explain", {
    at: new Date(at).toISOString(),
    event: details === undefined ? { ...UNKNOWN_EVENT, ...askerOf(stop.line) } : eventJson(details),
    verdict: {
      decision,
      status,
      message,
      feedback: verdict?.feedback ?? null,
      notice: verdict?.wholeNotice ?? verdict?.notice ?? null,
    },
    run: run === undefined ? null : runJson(run),
    answer: answer ?? null,
    recorded: recorded === undefined ? null : verdictJson(recorded),
  });
}

function eventJson({ event }: StopRecord): object {
  return {
    host: event.host,
    kind: event.kind ?? "stop",
    agentType: event.agentType ?? null,
    hostVersion: event.hostVersion ?? null,
    sessionId: event.sessionId ?? null,
    promptId: event.promptId ?? null,
    cwd: event.cwd,
    continued: event.continued,
    permissionMode: event.permissionMode ?? null,
    backgroundTasks: event.backgroundTasks,
  };
}

const UNKNOWN_EVENT = {
  kind: null,
  agentType: null,
  hostVersion: null,
  promptId: null,
  cwd: null,
  continued: null,
  permissionMode: null,
  backgroundTasks: [],
};

function askerOf(recorded: VerdictRecord | undefined): object {
  return { host: recorded?.host ?? null, sessionId: recorded?.session ?? null };
}

function runJson(run: NonNullable<StopRecord["run"]>): object {
  return {
    number: run.number ?? null,
    comparedTo: run.comparedTo ?? null,
    files: run.files,
    planned: run.planned.map(reasoned),
    skipped: run.skipped.map(reasoned),
    outcomes: run.outcomes.map(reasoned),
    attemptsLeft: run.attemptsLeft ?? null,
    consoleLog: run.consoleLogPath ?? null,
  };
}

function reasoned({ id, why }: Reasoned): object {
  return { id, why };
}

/** A signing key, without its secret half. */
export interface ShownKey {
  readonly id: string;
  readonly source: string;
  readonly publicKey: string;
  /** The file by which the project here trusts it. */
  readonly trustedBy: string | undefined;
}

export function keysJson({ id, source, publicKey, trustedBy }: ShownKey): string {
  return line("keys", { id, source, publicKey, trustedBy: trustedBy ?? null });
}

export function ciPlanJson({ gates, notes: _notes, ...plan }: CiPlan): string {
  return line("ci", {
    ...plan,
    gates: gates.map(({ id, reason }) => ({ id, reason })),
    matrix: { include: matrixOf(gates) },
  });
}

/** A worker that lives. */
export interface ShownWorker {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly platform: string;
  readonly concurrency: number;
  readonly running: number;
  readonly done: number;
  readonly since: number;
  readonly version: string;
}

export interface FleetState {
  readonly workers: readonly ShownWorker[];
  readonly queues: readonly { readonly platform: string; readonly waiting: number }[];
}

export function workersJson({ workers, queues }: FleetState): string {
  return line("workers", {
    workers: workers.map(({ since, ...rest }) => ({ ...rest, since: new Date(since).toISOString() })),
    queues,
  });
}
