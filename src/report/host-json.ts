import type { Reasoned, StopRecord } from "../core/session-record.ts";

const FORMAT = 1;

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

export function explainJson({ at, event, verdict, run, answer }: StopRecord): string {
  return line("explain", {
    at: new Date(at).toISOString(),
    event: {
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
    },
    verdict: {
      decision: verdict.decision,
      status: verdict.status,
      message: verdict.message,
      feedback: verdict.feedback ?? null,
      notice: verdict.notice ?? null,
    },
    run: run === undefined ? null : runJson(run),
    answer,
  });
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

function line(command: string, content: object): string {
  return JSON.stringify({ format: FORMAT, command, ...content });
}
