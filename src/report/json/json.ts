import type { Diagnostic } from "../../trouble.ts";
import { openGates, type RetryState } from "../../stop/retry-state.ts";
import type { PassRecord, PastRun } from "../../stop/passes.ts";
import type { Settings } from "../../config/settings.ts";
import type { Status } from "../../stop/status.ts";
import { type GateOutcome, isBlocking } from "../../gates/outcome.ts";
import type { FlakyTest, VerdictRecord } from "../../ledger/verdict-record.ts";

/** Raised when a field changes its meaning or goes; new fields do not raise it. */
const FORMAT = 1;

/** Like every JSON we print: one object on one line, where a field without a value is null. `json-schema.ts` describes them all. */
export function line(command: string, content: object): string {
  return JSON.stringify({ format: FORMAT, command, ...content });
}

export function listJson(settings: Settings): string {
  const entryPoints = settings.entryPoints.map(({ path, exclude, gates }) => ({
    path,
    exclude,
    gates: gates.map(({ kind, name, warnOnly, parallel }) => ({ kind, name, warnOnly, parallel })),
  }));
  const guards = Object.entries(settings.guards ?? {}).map(([name, mode]) => ({ name, mode }));
  return line("list", { entryPoints, guards });
}

export function validateJson(diagnostics: readonly Diagnostic[]): string {
  const valid = !diagnostics.some(({ severity }) => severity === "error");
  return line("validate", { valid, diagnostics: diagnostics.map(diagnosticJson) });
}

/** What `status` shows: the past is from the ledger, the pass is what the next stop may reuse. */
export interface StatusFacts {
  /** Whether or not a gate ran. */
  readonly lastStop?: VerdictRecord | undefined;
  readonly lastRun?: PastRun | undefined;
  readonly pass?: PassRecord | undefined;
  readonly flaky: readonly FlakyTest[];
  /** What the user said at a terminal and still holds. */
  readonly skips: readonly {
    readonly reason: string;
    readonly at: number;
    readonly gate?: string;
    readonly until?: number;
    readonly session?: string;
  }[];
  /** Settings files that no longer have the stop hook a session here began with. */
  readonly unhooked: readonly string[];
  /** Prompts that ended without a stop of ours since the last pass, the oldest first. */
  readonly unheard: readonly { readonly at: number; readonly why: string }[];
}

export function statusJson(
  { lastRun, pass, lastStop, flaky, skips, unhooked, unheard }: StatusFacts,
  sessions: readonly SessionFacts[],
  running: { readonly pid: number; readonly since: string } | undefined,
): string {
  return line("status", {
    running: running === undefined ? null : { pid: running.pid, since: running.since },
    lastStop: lastStop === undefined ? null : lastStopJson(lastStop),
    lastRun: lastRun === undefined ? null : lastRunJson(lastRun),
    lastPass: pass === undefined ? null : passJson(pass),
    sessions: sessions.map(({ id, attemptsLeft, retries }) => ({
      id,
      attempts: retries.attempts,
      attemptsLeft,
      gaveUp: retries.gaveUpOn !== undefined,
      openFailures: openGates(retries).map((one) => one.id),
    })),
    flaky: flaky.map(flakyJson),
    skips: skips.map(({ reason, at, gate, until, session }) => ({
      reason,
      at: isoTime(at),
      gate: gate ?? null,
      until: until === undefined ? null : isoTime(until),
      session: session ?? null,
    })),
    unhooked,
    unchecked: unheard.map(({ at, why }) => ({ at: isoTime(at), why })),
  });
}

export function flakyJson({ gate, test, times, firstAt, lastAt }: FlakyTest): object {
  return { gate, test: test || null, times, first: isoTime(firstAt), last: isoTime(lastAt) };
}

export function cleanJson(archived: number, previous: string): string {
  return line("clean", { archived, previous });
}

/** Which reviewers there are, and which of them can be asked now. */
export function healthJson(reviewers: readonly ReviewerFacts[], wanted: readonly string[]): string {
  return line("health", {
    reviewers: reviewers.map(({ reviewer, state, path, version, until }) => ({
      name: reviewer.name,
      state,
      used: wanted.includes(reviewer.name),
      version: version ?? null,
      path: path ?? null,
      restingUntil: until === undefined ? null : isoTime(until),
      install: reviewer.install,
    })),
  });
}

/** A reviewer as far as `health` tells. */
export interface ReviewerFacts {
  readonly reviewer: { readonly name: string; readonly install: string };
  readonly state: string;
  readonly path?: string;
  readonly version?: string;
  readonly until?: number;
}

/** A session with something to remember. */
export interface SessionFacts {
  readonly id: string;
  readonly retries: RetryState;
  readonly attemptsLeft: number;
}

/** An error on our side, whatever the command. */
export function errorJson(command: string, status: Status, message: string): string {
  return line(command, { status, message });
}

function lastStopJson({ at, decision, status, host, session }: VerdictRecord): object {
  return { at: isoTime(at), decision, status, host: host ?? null, session: session ?? null };
}

function lastRunJson({ number, status, completedAt, branch, head, outcomes }: PastRun): object {
  return {
    run: number,
    status,
    completedAt: isoTime(completedAt),
    branch: branch ?? null,
    head: head ?? null,
    outcomes: outcomes.map(outcomeJson),
  };
}

export function outcomeJson(outcome: GateOutcome): object {
  const { id, gate, name, scope, workingDirectory, kind, warnOnly, durationMs, logPath } = outcome;
  return {
    id,
    kind: gate,
    name,
    scope,
    workingDirectory,
    outcome: kind,
    detail: detailOf(outcome),
    blocks: isBlocking(outcome),
    warnOnly,
    durationMs,
    logPath: logPath ?? null,
    review: outcome.review ?? null,
    baseline: comparisonJson(outcome),
  };
}

function comparisonJson({ baseline }: GateOutcome): object | null {
  if (baseline === undefined) return null;
  const { logPath = null } = baseline;
  return baseline.kind === "compared"
    ? {
        comparedWith: baseline.with,
        notCompared: null,
        old: baseline.old.length,
        gone: baseline.gone.length,
        logPath,
      }
    : { comparedWith: null, notCompared: baseline.why, old: 0, gone: 0, logPath };
}

function detailOf(outcome: GateOutcome): string | null {
  if (outcome.kind === "passed") return outcome.warning ?? outcome.reused ?? null;
  return outcome.kind === "timed-out" ? `after ${outcome.afterMs / 1000} s` : outcome.detail;
}

function passJson({ runNumber, status, at, baseCommit }: PassRecord): object {
  return { run: runNumber, status, at: isoTime(at), baseCommit: baseCommit ?? null };
}

function diagnosticJson({ severity, file, line, column, message, excerpt, hint }: Diagnostic): object {
  return {
    severity,
    file,
    line: line ?? null,
    column: column ?? null,
    message,
    excerpt: excerpt ?? null,
    hint: hint ?? null,
  };
}

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
