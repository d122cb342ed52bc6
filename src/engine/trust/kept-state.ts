import type { SessionHistory } from "../../core/record/history.ts";
import type { Notice } from "../../core/stop/verdict.ts";
import type { RunRequest } from "../../core/run.ts";
import type { KeptState } from "../../core/record/session-record.ts";
import { keptState } from "../../machine/state/history.ts";
import { readSessionRecord, writeSessionRecord } from "../../machine/state/sessions.ts";
import type { Histories, Project } from "../run/project.ts";

/** A notice where the session's history is not as its last stop left it. Nothing else follows from it. */
export function compareWithKept(
  { settings }: Project,
  { record }: RunRequest,
  { session, warnings }: Histories,
): readonly Notice[] {
  const kept = record?.kept;
  if (kept?.root !== settings.root || warnings.length > 0) return []; // what cannot be read is reported as that
  const found = keptState(settings.root, session);
  if (found.digest === kept.digest || found.digest === kept.next) return [];
  const text = `Gauntlet: ${settings.logDir}/.state was changed by something else: this session has ${inWords(found)} there, but ${inWords(kept)} had been written.`;
  return [{ key: `state ${found.digest}`, text, isFirst: true }];
}

function inWords({ attempts, open }: KeptState): string {
  return `${attempts} ${attempts === 1 ? "attempt" : "attempts"} and ${open} open ${open === 1 ? "failure" : "failures"}`;
}

/** What is about to be written, for the next stop to compare with. It is recorded first: a process killed in between forges nothing. */
export function announceState(
  { settings, env }: Project,
  { record, event, logDir }: RunRequest,
  session: SessionHistory,
): KeptState | undefined {
  if (event === undefined || record === undefined) return undefined;
  const next = keptState(settings.root, session);
  const { kept } = record;
  const isOther = kept?.root === settings.root && kept.digest !== next.digest;
  if (isOther && logDir === undefined) {
    const latest = readSessionRecord(event, env) ?? record; // the user may have said something while the gates ran
    writeSessionRecord(event, { ...latest, kept: { ...kept, next: next.digest } }, env);
  }
  return next;
}
