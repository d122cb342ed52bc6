import { NEW_SESSION, type SessionHistory, onlyOpen } from "../../core/record/history.ts";
import type { AbsolutePath } from "../../core/path.ts";
import type { Notice } from "../../core/stop/verdict.ts";
import type { RunRequest } from "../../core/run.ts";
import { type KeptState, NEW_RECORD } from "../../core/record/session-record.ts";
import type { StopEvent } from "../../core/stop/stop-event.ts";
import { loadSettingsQuickly } from "../../config/gauntlet/settings-cache.ts";
import { logDirOf } from "../../machine/logs/log-dir.ts";
import type { Environment } from "../../machine/process/environment.ts";
import { keptState, readSession } from "../../machine/state/history.ts";
import { readSessionRecord, writeSessionRecord } from "../../machine/state/sessions.ts";
import { sessionKey } from "../../machine/state/state-keys.ts";
import type { Histories, Project } from "../run/project.ts";

/** The histories as far as they count. */
export interface TrustedHistories extends Histories {
  /** The session's history is not as its last stop left it: it cannot end a stop early. */
  readonly isDoubtful: boolean;
  /** That something else has written it. */
  readonly notices: readonly Notice[];
}

/** What a damaged history said is not known, and what something else has written is not believed where it lets a stop go. */
export function trusted(project: Project, request: RunRequest, histories: Histories): TrustedHistories {
  const changed = compareWithKept(project, request, histories);
  const isDoubtful = changed !== undefined || histories.isSessionLost;
  const session = isDoubtful ? onlyOpen(histories.session) : histories.session;
  return { ...histories, session, isDoubtful, notices: changed ?? [] };
}

/** Present where the session's history is not as its last stop left it: what the user is told about that. */
function compareWithKept(
  { settings, env }: Project,
  { record, event }: RunRequest,
  { session, isSessionLost }: Histories,
): readonly Notice[] | undefined {
  if (event === undefined || record?.kept?.root !== settings.root || isSessionLost) return undefined; // what cannot be read is reported as that
  const { kept } = record;
  const found = keptState(settings, session);
  const isKnown = ({ digest, next }: KeptState): boolean => found.digest === digest || found.digest === next;
  if (isKnown(kept)) return undefined;
  const latest = readSessionRecord(event, env) ?? record; // another stop of this session may have ended meanwhile
  if (latest.kept?.root === settings.root && isKnown(latest.kept)) return undefined;
  if (!writeSessionRecord(event, latest, env)) return undefined; // it no longer says what was written last, and attempts must end
  if (kept.logDir !== undefined && kept.logDir !== settings.logDir) return []; // that it was moved is reported as a change of the gates
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
  const next = keptState(settings, session);
  const { kept } = record;
  const isOther = kept?.root === settings.root && kept.digest !== next.digest;
  if (isOther && logDir === undefined) {
    const latest = readSessionRecord(event, env) ?? record; // the user may have said something while the gates ran
    writeSessionRecord(event, { ...latest, kept: { ...kept, next: next.digest } }, env);
  }
  return next;
}

/**
 * Whether a stop after a block is checked although the session's record is missing or damaged: the project says so, or an agent could
 * stop unchecked by removing it. Where neither record nor history lasts from one stop to the next, blocks would never end.
 */
export async function isEnforcedUnrecorded(
  event: StopEvent,
  root: AbsolutePath,
  env: Environment,
): Promise<boolean> {
  const loaded = await loadSettingsQuickly(root, env);
  if (!loaded.ok || loaded.value.settings.stopHook.whenActive !== "enforce") return false;
  if (writeSessionRecord(event, { ...NEW_RECORD, isEnforced: true }, env)) return true;
  const { stateDir } = logDirOf(root, loaded.value.settings.logDir);
  const { value, warning } = readSession(stateDir, sessionKey(event, root));
  return warning !== undefined || value !== NEW_SESSION;
}
