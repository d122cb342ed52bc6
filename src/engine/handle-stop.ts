import { definedOnly } from "../core/defined-only.ts";
import type { Door } from "../core/stop/early-exits.ts";
import { noticeOf, allow, type Notice, type Verdict, verdictOf } from "../core/stop/verdict.ts";
import type { AbsolutePath, ProjectPath } from "../core/path.ts";
import { type RunEvent, type RunFacts, type RunRequest, type RunResult, runFacts } from "../core/run.ts";
import {
  lostRecordNotices,
  NEW_RECORD,
  type RecordedRun,
  recordedRun,
  type SessionRecord,
  startIn,
  tamperNotices,
  unsettledStop,
  withGates,
  withStart,
} from "../core/record/session-record.ts";
import { isGreen } from "../core/stop/status.ts";
import type { StopEvent } from "../core/stop/stop-event.ts";
import { ok, type Result } from "../core/trouble.ts";
import { elapsedMs, now } from "../machine/clock.ts";
import { findProject } from "../machine/files/find-project.ts";
import type { Environment } from "../machine/process/environment.ts";
import {
  findSessionRecord,
  readSessionRecord,
  unhookedFiles,
  writeSessionRecord,
} from "../machine/state/sessions.ts";
import type { Granted } from "./trust/skip.ts";

/** A stop to answer: what the host asked, and what we know about the host and ourselves. */
export interface Stop {
  readonly event: StopEvent;
  readonly env: Environment;
  /** Blocks in a row after which the host stops listening. */
  readonly blockCap?: number | undefined;
  /** The hook serves every project: it runs only what the user allowed. */
  readonly onlyAllowed?: boolean;
  /** For a caller that counts blocks itself. */
  readonly budget?: RunRequest["budget"];
  /** Called when gates are about to run. */
  readonly onRunning?: () => void;
  readonly onEvent?: (event: RunEvent) => void;
  readonly traceparentOf?: RunRequest["traceparentOf"];
  /** Where the run leaves its traces instead of the project's log directory. */
  readonly logDir?: ProjectPath | undefined;
}

/** The answer to a stop, and what the session must remember of it. */
export interface AnsweredStop {
  readonly verdict: Verdict;
  /** Where gates were at least looked at. */
  readonly run?: RecordedRun;
  readonly record: SessionRecord;
  /** What the ledger keeps of the run. */
  readonly facts?: Partial<RunFacts>;
  /** The session's record as the stop found it. */
  readonly found?: SessionRecord | undefined;
  /** When the question came, on the clock of `elapsedMs`. */
  readonly since: number;
}

/** May the agent stop? The whole product in one function; everything else is in the functions it calls. */
export async function handleStop(stop: Stop, signal: AbortSignal): Promise<AnsweredStop> {
  const { event, env } = stop;
  const since = elapsedMs();
  const { value: found, warning } = findSessionRecord(event, env);
  const known = withParent(found ?? NEW_RECORD, event, env);
  const asked = { found, since };
  if (event.continued && stop.budget === undefined && !(await isEnforced(found, event, env)))
    return { ...letThrough(known), ...asked };
  const root = await projectOf(event, known);
  if (root === undefined) return { ...(await outside(event, known)), ...asked };
  const granted = await grantsOf({ event, root, record: known, env });
  const { record, ended } = granted;
  if (ended !== undefined) return { ...ended, record: { ...record, root }, ...asked };
  const consent = stop.onlyAllowed ? await askConsent(root, record, env) : undefined;
  if (consent?.kind === "not-allowed") return { ...consent.answer, ...asked };

  stop.onRunning?.();
  const { executeRun } = await import("./run.ts"); // the answers above load a tenth of the program
  const { blockCap, budget, logDir, traceparentOf, onEvent = () => {} } = stop;
  const allowed = consent?.judgedBy;
  const request = {
    cwd: root,
    checkInterval: true,
    event,
    record,
    allowed,
    blockCap,
    budget,
    env,
    signal,
    onEvent,
    traceparentOf,
    logDir,
    skip: granted.skip,
  };
  const result = await executeRun(request);
  const own = [...lostRecordNotices(warning), ...granted.notices, ...noticesFor(stop, record, root)];
  const notices = [...own, ...result.notices];
  const { verdict, told } = withNotices(verdictOf(result), { ...result, notices }, record);
  const answer = { verdict, record: remembered({ ...record, told }, result, root) };
  return {
    ...(await holdUp(answer, { result, event })),
    run: recordedRun(result),
    facts: runFacts(result),
    ...asked,
  };
}

/** A sub-agent, a teammate and a task began with the session they are part of. */
function withParent(known: SessionRecord, { parentId, cwd }: StopEvent, env: Environment): SessionRecord {
  if (parentId === undefined || known.starts !== undefined) return known;
  const starts = readSessionRecord({ sessionId: parentId, cwd }, env)?.starts;
  return starts === undefined ? known : { ...known, starts };
}

/** Whether the stop after a block is checked, whoever blocked: other hooks send the agent back, too. */
async function isEnforced(found: SessionRecord | undefined, event: StopEvent, env: Environment) {
  if (found !== undefined) {
    const { blocked, isEnforced: wasEnforced } = found;
    return blocked === undefined ? wasEnforced === true : blocked.whenActive === "enforce";
  }
  const root = await projectOf(event, NEW_RECORD);
  if (root === undefined) return false;
  const { isEnforcedUnrecorded } = await import("./trust/kept-state.ts"); // hardly any continued stop is without a record
  return isEnforcedUnrecorded(event, root, env);
}

/** What happened behind the user's back, and what an earlier stop left open. */
function noticesFor({ event }: Stop, record: SessionRecord, root: string): readonly Notice[] {
  const unhooked = unhookedFiles(startIn(record, root)?.hooks ?? []);
  return [...tamperNotices(record, unhooked), ...unsettledStop(record, event)];
}

/** The project of a stop: an agent that has changed into another one is still judged by the one its host was started in. */
async function projectOf(event: StopEvent, { starts = [] }: SessionRecord) {
  const { cwd, projectDir } = event;
  const here = findProject(cwd);
  const home = projectDir === undefined || projectDir === cwd ? here : findProject(projectDir);
  if (home === here && (here !== undefined || starts.length === 0)) return here;
  const { projectOfStray } = await import("./trust/stray.ts"); // an agent that strays is rare
  return projectOfStray(event, { here, home, starts });
}

/** No project: for a session that had one, the user must know that it was left. */
async function outside(
  event: StopEvent,
  record: SessionRecord,
): Promise<Pick<AnsweredStop, "verdict" | "record">> {
  const verdict = allow("no_config");
  const [start] = record.starts ?? [];
  if (start === undefined) return { verdict, record };
  const { noticeOfLeaving } = await import("./trust/stray.ts"); // few sessions leave their project
  const { text: notice, told } = noticeOf(undefined, noticeOfLeaving(event, start.root), record.told);
  return {
    verdict: { ...verdict, ...(notice === undefined ? {} : { notice }) },
    record: { ...record, told },
  };
}

/** What the user said in the chat or at a terminal, for the few stops that have something. */
async function grantsOf(stop: {
  event: StopEvent;
  root: AbsolutePath;
  record: SessionRecord;
  env: Environment;
}): Promise<Granted> {
  const { hasSkips } = await import("../machine/state/skips.ts"); // hashes paths, which stops outside of projects do without
  if (stop.record.asked === undefined && !hasSkips(stop.root, stop.env))
    return { record: stop.record, notices: [], skip: [] };
  const { serveGrants } = await import("./trust/skip.ts"); // few stops have any
  return serveGrants(stop);
}

async function askConsent(root: AbsolutePath, record: SessionRecord, env: Environment) {
  const { consentToStop } = await import("./trust/consent.ts"); // only hooks that serve every project ask
  return consentToStop(root, record, env);
}

/** A stop that would be allowed although what stands behind the gates was changed. */
async function holdUp(
  answer: Pick<AnsweredStop, "verdict" | "record">,
  asked: { readonly result: RunResult; readonly event: StopEvent },
) {
  if (asked.result.trust?.hold === undefined) return answer;
  const { heldUp } = await import("./trust/watch-gates.ts"); // only where gates are held
  return heldUp(answer, asked);
}

/** One notice per stop, short, and each fact once per session. */
function withNotices(verdict: Verdict, result: RunResult, { told }: SessionRecord) {
  const warnings = result.warnings.map((text) => ({ key: text, text }));
  const { text, whole, ...known } = noticeOf(verdict.notice, [...result.notices, ...warnings], told);
  const { notice: _withoutFacts, ...rest } = verdict;
  const notices = definedOnly({ notice: text, wholeNotice: whole });
  return { verdict: { ...rest, ...notices }, told: known.told };
}

/** Where the session began, and whether it was blocked: what its next stop must know. */
function remembered(record: SessionRecord, result: RunResult, root: string): SessionRecord {
  const head = result.changes?.head;
  const known = head === undefined ? record : withStart(record, { root, head, at: now() });
  const { gates } = result.trust ?? {};
  const begun =
    gates === undefined ? known : withGates(withStart(known, { root: gates.root, at: now() }), gates);
  const { kept = record.kept } = result;
  return { ...withBlock(begun, result), root, ...(kept === undefined ? {} : { kept }) };
}

/** A block is remembered until the gates pass or we give up; trouble in between does not end it. */
function withBlock(record: SessionRecord, result: RunResult): SessionRecord {
  if (result.kind === "ran" && result.blocked !== undefined) return { ...record, blocked: result.blocked };
  if (!isGreen(result.status) && result.status !== "retry_limit_exceeded") return record;
  const { blocked: _over, isEnforced: _before, ...rest } = record;
  // After giving up it is not for us to send the agent back again.
  return isGreen(result.status) && result.isEnforced === true ? { ...rest, isEnforced: true } : rest;
}

/** Where the host has no flag or forgets it, a block that we remember for the same prompt says that the agent continues after it. */
export function withOwnRecord(event: StopEvent, env: Environment): StopEvent {
  if (event.isFlagless !== true) return event;
  const blocked = readSessionRecord(event, env)?.blocked;
  return blocked !== undefined && blocked.promptId === event.promptId ? { ...event, continued: true } : event;
}

/**
 * The stop of an agent that was woken from the background belongs to the prompt that was blocked. Interactively Claude Code
 * (2.1.325, 2026-11-16) gives each wake-up its own `prompt_id`, with which the budget would never end.
 */
export function asWoken(event: StopEvent, env: Environment): StopEvent {
  const blocked = event.continued ? readSessionRecord(event, env)?.blocked : undefined;
  return blocked?.promptId === undefined ? event : { ...event, promptId: blocked.promptId };
}

/** The agent continues because we blocked it, and by default its next stop is free; the user learns that, once. */
function letThrough({ blocked, ...record }: SessionRecord): Pick<AnsweredStop, "verdict" | "record"> {
  if (blocked === undefined) return { verdict: allow("stop_hook_active"), record };
  const notice =
    "Gauntlet: the last stop was blocked by failing gates; this one is let through without checking the fix. " +
    "Run `agent-gauntlet run` to check now, or set `stop_hook.when_active: enforce` to have every stop checked.";
  return { verdict: { ...allow("stop_hook_active"), notice }, record };
}

/** Keeps what `explain`, `doctor` and the session's next stop need to know, and the verdict in the ledger of its project. */
export async function recordStop(
  { event, env, door }: Pick<Stop, "event" | "env"> & { readonly door: Door },
  { verdict, run, record, facts, since, found }: AnsweredStop,
  { stdout, exitCode }: { readonly stdout: string; readonly exitCode: number },
): Promise<Result<void>> {
  const { lastMessage: _private, ...kept } = event;
  const answer = { stdout, exitCode };
  const at = now(); // by which `explain` finds the details of a line in the ledger
  const lastStop = { at, door, event: kept, verdict, answer, ...(run === undefined ? {} : { run }) };
  const changed = run === undefined ? {} : changedMeanwhile(found, readSessionRecord(event, env));
  writeSessionRecord(event, { ...record, ...changed, lastStop }, env);
  const root = projectToRecord(event, door, { verdict, record });
  if (root === undefined) return ok(undefined);
  const { recordVerdict } = await import("./proof/record-verdict.ts"); // hashes and locks, which stops outside of projects do without
  const { status, decision } = verdict;
  const ms = Math.round(elapsedMs() - since);
  return recordVerdict({ root, env, event }, { outcomes: [], ...facts, at, door, ms, status, decision });
}

/** The project in whose ledger a stop belongs: looked for where the answer did not need to know. */
function projectToRecord(
  { cwd }: StopEvent,
  door: Door,
  { verdict, record }: Pick<AnsweredStop, "verdict" | "record">,
) {
  if (door === "brepl") return cwd;
  if (record.root !== undefined || verdict.status === "no_config") return record.root;
  return findProject(cwd);
}

/** What the user said in the chat or at a terminal, and what `clean` did, while the gates ran. */
function changedMeanwhile(
  before: SessionRecord | undefined,
  after: SessionRecord | undefined,
): Partial<SessionRecord> {
  const isSame = (key: keyof SessionRecord): boolean =>
    JSON.stringify(before?.[key]) === JSON.stringify(after?.[key]);
  const { asked, cleaned, starts } = after ?? {};
  return definedOnly({
    asked: isSame("asked") ? undefined : asked,
    cleaned: isSame("cleaned") ? undefined : cleaned,
    starts: isSame("starts") ? undefined : starts,
  });
}
