import type { StopEvent } from "../hosts/stop-event.ts";
import type { AbsolutePath, ProjectPath } from "../path.ts";
import type { RunRequest } from "../run/request.ts";
import { stages } from "../run/stages.ts";
import { type RecordedRun, recordedRun, type RunFacts, type RunResult, runFacts } from "../run/result.ts";
import type { RunEvent } from "../run/request.ts";
import { findProject, isInLinkedTree } from "../system/files/find-project.ts";
import { logDirOf } from "../system/logs/log-dir.ts";
import type { Environment } from "../system/process/environment.ts";
import type { UserSkips } from "../features/trust/user-skips.ts";
import { unhookedFiles } from "./hook-removal.ts";
import {
  damageNotices,
  type Notice,
  Notices,
  noticesOfResult,
  tamperNotices,
  unsettledNotices,
} from "./notices.ts";
import { OpenSession } from "./open-session.ts";
import { startIn } from "./session.ts";
import { allow, type Verdict, verdictOf } from "./verdict.ts";

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

/** The answer to a stop, and what is to be recorded of it. */
export interface AnsweredStop {
  readonly verdict: Verdict;
  readonly session: OpenSession;
  /** The project in whose ledger it belongs; absent if the answer did not need to know. */
  readonly root?: string | undefined;
  /** What was run, or why nothing was. */
  readonly run?: RecordedRun;
  readonly facts?: Partial<RunFacts>;
}

/** May the agent stop? The whole product in one function; everything else is in the functions it calls. */
export async function handleStop(stop: Stop, signal: AbortSignal): Promise<AnsweredStop> {
  const { event, env } = stop;
  const session = openSession(event, env);
  if (await isFreeAfterBlock(stop, session)) return allowAfterBlock(session);

  const root = await findProjectOf(event, session);
  if (root === undefined) return outsideAnyProject(event, session);
  const notices = new Notices();
  const considered = { root, session, notices };

  const skip = await applyUserSkips(stop, considered);
  if (skip.wholeStop !== undefined) return answer(considered, skip.wholeStop);

  const consent = stop.onlyAllowed ? await (await stages.trust()).consentToStop(stop, considered) : ALLOWED;
  if (consent.kind === "not-allowed") return answer(considered, consent);

  stop.onRunning?.();
  const { run } = await stages.look(); // the answers above need a tenth of the program
  const request = requestOf(stop, considered, signal);
  const result = await run({ ...request, allowed: consent.judgedBy, skip: skip.gates });

  notices.add(...noticesOfResult(result), ...sessionNotices(considered, event));
  notices.add(...(await noticesOfOtherPlaces(stop, considered)));
  const verdict = await holdChangedGates(stop, { ...considered, result });
  return answer(considered, { verdict, run: recordedRun(result), facts: runFacts(result) });
}

/** What a stop is about once its project is known. */
export interface Considered {
  readonly root: AbsolutePath;
  readonly session: OpenSession;
  readonly notices: Notices;
}

const ALLOWED = { kind: "allowed", judgedBy: undefined } as const;

function requestOf(stop: Stop, { root, session, notices }: Considered, signal: AbortSignal): RunRequest {
  const { event, env, onEvent, blockCap, budget, traceparentOf, logDir } = stop;
  const asked = { event, session, notices, env, signal, onEvent, blockCap, budget, traceparentOf, logDir };
  return { cwd: root, isStop: true, ...asked };
}

interface Decided {
  readonly verdict: Verdict;
  readonly run?: RecordedRun;
  readonly facts?: Partial<RunFacts>;
}

function answer({ root, session, notices }: Considered, { verdict, run, facts }: Decided): AnsweredStop {
  session.change((known) => ({ ...known, root }));
  return { verdict: withNotices(verdict, root, session, notices), session, root, run, facts };
}

function withNotices(verdict: Verdict, root: string, session: OpenSession, notices: Notices): Verdict {
  const shown = notices.choose(root, session.value);
  session.change(shown.remember);
  return { ...verdict, notice: shown.text, wholeNotice: shown.whole };
}

/** A sub-agent, a teammate and a task began with the session they are part of. */
function openSession(event: StopEvent, env: Environment): OpenSession {
  const session = OpenSession.open(event, env);
  if (event.parentId === undefined || session.value.starts !== undefined) return session;
  const { starts } = OpenSession.open({ sessionId: event.parentId, cwd: event.cwd }, env).value;
  if (starts !== undefined) session.change((own) => ({ ...own, starts: own.starts ?? starts }));
  return session;
}

/** After a block the next stop is not checked, unless the project enforces it, whoever blocked: other hooks send the agent back, too. */
async function isFreeAfterBlock({ event, budget, env }: Stop, session: OpenSession): Promise<boolean> {
  if (!event.continued || budget !== undefined) return false;
  const { blocked, isEnforced } = session.value;
  if (blocked !== undefined) return blocked.whenActive === "allow";
  if (session.isKnown) return isEnforced !== true;
  // Hardly any continued stop is without a record. An agent could remove it, so the project is asked.
  const root = await findProjectOf(event, session);
  if (root === undefined) return true;
  const { loadSettingsQuickly } = await stages.rare();
  const loaded = await loadSettingsQuickly(root, env);
  if (!loaded.ok || loaded.value.settings.stopHook.whenActive !== "enforce") return true;
  // If no record lasts from one stop to the next, blocks would never end.
  const { logDir } = loaded.value.settings;
  return !session.save().ok && session.fallBackTo(logDirOf(root, logDir)) === "nothing";
}

/** The agent continues because we blocked it, and by default its next stop is free; the user learns that, once. */
function allowAfterBlock(session: OpenSession): AnsweredStop {
  const verdict = allow("stop_hook_active");
  if (session.value.blocked === undefined) return { verdict, session };
  session.change(({ blocked: _over, ...rest }) => rest);
  const notice =
    "Gauntlet: the last stop was blocked by failing gates; this one is let through without checking the fix. " +
    "Run `agent-gauntlet run` to check now, or set `stop_hook.when_active: enforce` to have every stop checked.";
  return { verdict: { ...verdict, notice }, session };
}

/** The project of a stop: an agent that has changed into another one is still judged by the one its host was started in. */
async function findProjectOf(event: StopEvent, session: OpenSession): Promise<AbsolutePath | undefined> {
  const { cwd, projectDir } = event;
  const { starts = [] } = session.value;
  const here = findProject(cwd);
  const home = projectDir === undefined || projectDir === cwd ? here : findProject(projectDir);
  if (home === here && (here !== undefined || starts.length === 0)) return here;
  return (await stages.trust()).whichProject(event, { here, home, starts }); // few agents leave their project
}

/** For a session that had a project, the user must know that it was left. */
async function outsideAnyProject(event: StopEvent, session: OpenSession): Promise<AnsweredStop> {
  if (event.cwd.includes(NOT_UTF_8)) return { verdict: unreadablePlace(), session };
  const verdict = allow("no_config");
  const { root, starts = [] } = session.value;
  const [began] = starts;
  if (began === undefined && !isInLinkedTree(event.cwd)) return { verdict, session, root };
  const { leftProjectNotice, withoutGatesNotices } = await stages.trust();
  const notices = new Notices();
  notices.add(...(began === undefined ? withoutGatesNotices(event) : [leftProjectNotice(event, began.root)]));
  return { verdict: withNotices(verdict, began?.root ?? event.cwd, session, notices), session, root };
}

/** Stands for bytes that are not UTF-8. */
const NOT_UTF_8 = "\uFFFD";

function unreadablePlace(): Verdict {
  const detail = "the path of this directory is not UTF-8, so no project is found there";
  const verdict = allow("error", { detail });
  return { ...verdict, notice: `${verdict.message}\nThe stop was not checked.` };
}

/** What the user said in the chat or at a terminal: to skip this stop or some gates, to accept changed gates. */
async function applyUserSkips(stop: Stop, considered: Considered): Promise<UserSkips> {
  const { root, session } = considered;
  const { hasSkips } = await stages.skips();
  if (session.value.asked === undefined && !hasSkips(root, stop.env)) return { gates: [] };
  return (await stages.trust()).applyUserSkips(stop, considered);
}

/** What happened behind the user's back, and what an earlier stop left open. */
function sessionNotices({ root, session }: Considered, event: StopEvent): readonly Notice[] {
  const unhooked = unhookedFiles(startIn(session.value, root)?.hooks ?? []);
  return [
    ...damageNotices(session.damage),
    ...tamperNotices(session.value, unhooked),
    ...unsettledNotices(session.value, event),
  ];
}

/** Few sessions are in more than one work tree. */
async function noticesOfOtherPlaces(stop: Stop, considered: Considered): Promise<readonly Notice[]> {
  const { root, session } = considered;
  const { starts = [] } = session.value;
  return starts.every((start) => start.root === root)
    ? []
    : (await stages.trust()).otherPlaces(stop, considered);
}

/** The verdict of the run; it does not allow a stop if what is behind the gates was changed and the project holds its gates. */
async function holdChangedGates(
  stop: Stop,
  considered: Considered & { readonly result: RunResult },
): Promise<Verdict> {
  const { session, result } = considered;
  if (result.trust?.hold !== undefined) {
    return (await stages.trust()).blockForChangedGates(stop, considered);
  }
  if (session.value.held !== undefined) session.change(({ held: _over, ...rest }) => rest);
  return verdictOf(result);
}
