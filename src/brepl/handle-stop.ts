import { join } from "node:path";
import {
  HOOKS_FILE,
  loadHooks,
  printRetryCounts,
  readRetryCounts,
  type RetryCounts,
} from "../config/brepl/load.ts";
import { formatDiagnostic, explain, ok, type Result, type Trouble } from "../trouble.ts";
import {
  planHooks,
  verdictOfHooks,
  countRetries,
  type HookResult,
  isWorthTelling,
  judgeHooks,
} from "./judge-hooks.ts";
import { absolutePath, type ProjectPath, projectPath } from "../path.ts";
import type { RunEvent } from "../run/request.ts";
import { recordedRun } from "../run/result.ts";

import type { StopEvent } from "../hosts/stop-event.ts";
import { allow, type Allow, type Verdict } from "../stop/verdict.ts";
import type { GateContext, ReplServer } from "../gates/gate-context.ts";
import { readPrivateFile, sharedTempDir, writePrivateFile } from "../system/files/private-file.ts";
import {
  hasNoLinks,
  type LogDir,
  logDirOf,
  makeRoomForRun,
  prepareLogDir,
  pruneSessionLogs,
  removeSessionLogs,
} from "../system/logs/log-dir.ts";
import { type Environment, trace, withoutOwnCredentials } from "../system/process/environment.ts";
import { GateGroups } from "../system/process/leftovers.ts";
import { removeFile, uniqueName } from "../system/files/files.ts";
import { acquireLock, type Lock } from "../system/state/lock.ts";
import { type SessionName, sessionKey } from "../system/state/state-keys.ts";
import { OpenSession } from "../stop/open-session.ts";
import { runRepl } from "../gates/repl.ts";
import { tidyUpAfter } from "../run/tidy-up.ts";
import type { AnsweredStop } from "../stop/handle-stop.ts";
import { runGates, type RunGatesOptions } from "../run/gates.ts";

const MAX_CHARS = 9_000;

export interface BreplStop {
  readonly event: StopEvent;
  readonly cwd: string;
  readonly env: Environment;
  readonly replServer: ReplServer;
  readonly onEvent?: (event: RunEvent) => void;
  readonly traceparentOf?: GateContext["traceparentOf"];
}

export async function handleBreplStop(stop: BreplStop, signal: AbortSignal): Promise<AnsweredStop> {
  const session = OpenSession.open(stop.event, stop.env);
  const { verdict, run, facts } = await judgeStop(stop, signal);
  return { verdict: await withinBounds(verdict), session, root: absolutePath(stop.cwd), run, facts };
}

async function judgeStop(
  stop: BreplStop,
  signal: AbortSignal,
): Promise<Pick<AnsweredStop, "verdict" | "run" | "facts">> {
  const loaded = loadHooks(stop.cwd);
  if (!loaded.ok) return { verdict: invalidHooks(loaded.trouble) };
  const { hooks, diagnostics } = loaded.value;
  if (hooks.length === 0) return { verdict: { ...allow("no_config"), message: `no hooks in ${HOOKS_FILE}` } };
  const session = sessionKey(stop.event, stop.cwd);
  const { counts, warning } = loadRetryCounts(session);
  const opened = openHookLogs(stop.cwd, session);
  if (!opened.ok) return { verdict: ourTrouble(explain(opened.trouble)) };
  const logs = opened.value;

  const plan = planHooks(hooks, counts);
  const outcomes = await runHooks(stop, { plan, logs }, signal);
  const results = judgeHooks(hooks, outcomes, counts);
  const saved = saveRetryCounts(session, countRetries(counts, results));
  const told = results.filter(isWorthTelling);
  const verdict = verdictOfHooks(results, told.length === 0 ? "" : await describe(told, stop));
  if (told.length === 0) dropHookLogs(stop.cwd, logs.name);
  const safe = saved.ok ? verdict : allowIfUncountable(verdict, results, saved.trouble);
  const warnings = [...diagnostics.map(formatDiagnostic), ...(warning === undefined ? [] : [warning])];
  return { verdict: withWarnings(safe, warnings), run: recordedRun({ plan, outcomes }), facts: { outcomes } };
}

/** One after another, each in a process group that the session's next stop ends if this one is killed. */
async function runHooks(
  { cwd, env, replServer, traceparentOf, onEvent = () => {} }: BreplStop,
  hooks: { readonly plan: ReturnType<typeof planHooks>; readonly logs: HookLogs },
  signal: AbortSignal,
) {
  const { dir, logDir, runNumber } = hooks.logs;
  using lock = hooks.logs.lock;
  if (lock?.replaced !== undefined) await tidyUpAfter(lock.replaced, logDir);
  using groups = new GateGroups(logDir);
  const context: GateContext = {
    root: absolutePath(cwd),
    logDir: dir,
    runNumber,
    runId: lock?.runId ?? uniqueName(),
    env: withoutOwnCredentials(env),
    replServer,
    onGroup: groups.record.bind(groups),
    isGate: groups.has.bind(groups),
    traceparentOf,
  };
  trace("hooks read");
  const outcomes = await runGates(
    hooks.plan,
    { maxParallel: 1, context, onEvent, kinds: HOOK_KINDS },
    signal,
  );
  trace("hooks done");
  return outcomes;
}

/** No hook is a review or has reruns: the code for them would make the program half as large again. */
const HOOK_KINDS: RunGatesOptions["kinds"] = {
  repl: () => Promise.resolve({ runRepl }),
  review: () => Promise.reject(new Error("no hook is a review")),
  red: () => Promise.reject(new Error("no hook has reruns")),
};

/** The parsers of forty tools, which a passing stop does not need. */
const loadReports = () => import("./report-hooks.ts");

async function describe(told: readonly HookResult[], { cwd, env }: BreplStop): Promise<string> {
  const { describeHooks } = await loadReports();
  return describeHooks(told, { cwd, env }, MAX_CHARS);
}

/** No hook may run, so nothing can be said about the work: the stop is allowed, with a message to the user. */
function invalidHooks(trouble: Trouble): Allow {
  if (trouble.kind !== "config-invalid") return ourTrouble(explain(trouble));
  const problems = trouble.diagnostics.map(formatDiagnostic);
  return ourTrouble([`Invalid ${HOOKS_FILE}: no hook was run.`, ...problems].join("\n"));
}

function ourTrouble(notice: string): Allow {
  return { decision: "allow", status: "error", message: "brepl stop hooks could not run", notice };
}

/** A block that cannot be counted could be repeated endlessly; only a hook that asked for just that may. */
function allowIfUncountable(verdict: Verdict, results: readonly HookResult[], trouble: Trouble): Verdict {
  const isCounted = results.some(({ effect }) => effect.kind === "retry" && effect.maxRetries > 0);
  if (verdict.decision === "allow" || !isCounted) return verdict;
  const reason = `The agent may stop, because the retry cannot be counted: ${explain(trouble)}`;
  return ourTrouble(`${reason}\n${verdict.feedback}`);
}

function withWarnings(verdict: Verdict, warnings: readonly string[]): Verdict {
  if (warnings.length === 0) return verdict;
  if (verdict.decision === "block")
    return { ...verdict, feedback: [verdict.feedback, ...warnings].join("\n\n") };
  return { ...verdict, notice: [verdict.notice, ...warnings].filter(Boolean).join("\n\n") };
}

/** As much as a host shows, however long the names, problems and warnings are. */
async function withinBounds(verdict: Verdict): Promise<Verdict> {
  const text = verdict.decision === "block" ? verdict.feedback : verdict.notice;
  if (text === undefined || text.length <= MAX_CHARS) return verdict;
  const { cutText } = await loadReports();
  const cut = cutText(text, MAX_CHARS);
  return verdict.decision === "block" ? { ...verdict, feedback: cut } : { ...verdict, notice: cut };
}

const LOGS = ".brepl/logs";

interface HookLogs {
  readonly name: string;
  readonly dir: ProjectPath;
  readonly logDir: LogDir;
  readonly runNumber: number;
  readonly lock: Lock | undefined;
}

/** Two stops of one session run beside each other, the second with a directory of its own. */
function openHookLogs(cwd: string, session: string, name = session): Result<HookLogs> {
  const dir = projectPath(`${LOGS}/${name}`);
  const logDir = hookLogDir(cwd, name);
  const prepared = prepareLogDir(logDir);
  if (!prepared.ok) return prepared;
  const locked = acquireLock(logDir.lockFile, { session });
  const isHeld = !locked.ok && locked.trouble.kind === "lock-held";
  if (isHeld && name === session) return openHookLogs(cwd, session, `${session}-2`);
  const runNumber = makeRoomForRun(logDir);
  pruneSessionLogs(join(cwd, LOGS));
  return ok({ name, dir, logDir, runNumber, lock: locked.ok ? locked.value : undefined });
}

/** `.brepl` itself may be a link: it is the user's, and only what is below it is ours. */
function hookLogDir(cwd: string, session: string): LogDir {
  return logDirOf(absolutePath(join(cwd, ".brepl")), projectPath(`logs/${session}`));
}

function dropHookLogs(cwd: string, session: string): void {
  if (hasNoLinks(hookLogDir(cwd, session)).ok) removeSessionLogs(join(cwd, LOGS), session);
}

/** `session` comes from `sessionKey`, so it cannot lead out of the directory. */
function retryCountsPath(session: string): string {
  return join(sharedTempDir(), `brepl-stop-hook-${session}.edn`);
}

function loadRetryCounts(session: string): { counts: RetryCounts; warning?: string } {
  const path = retryCountsPath(session);
  const text = readPrivateFile(path);
  if (!text.ok) return { counts: new Map(), warning: explain(text.trouble) };
  if (text.value === undefined) return { counts: new Map() };
  const counts = readRetryCounts(text.value);
  return counts ? { counts } : { counts: new Map(), warning: `${path} is broken: counting starts over.` };
}

function saveRetryCounts(session: string, counts: RetryCounts): Result<void> {
  const path = retryCountsPath(session);
  return counts.size > 0 ? writePrivateFile(path, printRetryCounts(counts)) : removeFile(path);
}

export function forgetBreplSession(event: Omit<SessionName, "cwd">, cwd: string): string | undefined {
  const session = sessionKey(event, cwd);
  dropHookLogs(cwd, session);
  const removed = saveRetryCounts(session, new Map());
  return removed.ok ? undefined : explain(removed.trouble);
}
