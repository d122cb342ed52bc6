import { join } from "node:path";
import type { SessionHistory } from "../../core/record/history.ts";
import type { Notice } from "../../core/stop/notice.ts";
import type { RunRequest } from "../../core/run.ts";
import type { KeptState } from "../../core/record/session-record.ts";
import type { Result } from "../../core/trouble.ts";
import { keptState } from "../../machine/state/history.ts";
import { acquireLock, type Asker, type Lock } from "../../machine/state/lock.ts";
import { sessionKey } from "../../machine/state/session-key.ts";
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

/** A run that has just taken the lock records that a moment later. */
export async function lockProject(project: Project, request: RunRequest): Promise<Result<Lock>> {
  const { logDir, passDir } = project;
  const copy = join(passDir, "lock");
  const asker = askerOf(project, request);
  const locked = acquireLock(logDir.lockFile, asker, copy);
  if (locked.ok || locked.trouble.kind !== "lock-held" || !locked.trouble.isUnrecorded) return locked;
  await new Promise((resolve) => setTimeout(resolve, RECORDED_WITHIN_MS));
  return acquireLock(logDir.lockFile, asker, copy);
}

function askerOf({ session, settings }: Project, { event }: RunRequest): Asker {
  const { parentId: sessionId, promptId: prompt } = event ?? {};
  const partOf = sessionId === undefined ? undefined : sessionKey({ sessionId }, settings.root);
  return { session, partOf, prompt };
}

const RECORDED_WITHIN_MS = 100;

export function strangeLock({ settings }: Project): Notice {
  const text = `Gauntlet: the lock in ${settings.logDir} was not one that agent-gauntlet writes; it was replaced.`;
  return { key: "strange lock", text, isFirst: true };
}
