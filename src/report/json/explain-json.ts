import type { Reasoned } from "../../run/result.ts";
import type { PastStop, StopRecord } from "../../stop/session.ts";
import { headOf } from "../explain-stop.ts";
import { line } from "./json.ts";
import { verdictJson } from "./verdict-json.ts";
import type { VerdictRecord } from "../../ledger/verdict-record.ts";

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
