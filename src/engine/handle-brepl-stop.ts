import { HOOKS_FILE, loadHooks } from "../config/brepl/load.ts";
import { formatDiagnostic } from "../core/diagnostic.ts";
import { planHooks } from "../core/hook-plan.ts";
import { verdictOfHooks } from "../core/hook-verdict.ts";
import { countRetries, isWorthTelling, judgeHooks, type HookResult } from "../core/hook.ts";
import { absolutePath } from "../core/path.ts";
import type { StopEvent } from "../core/stop-event.ts";
import { explain, type Trouble } from "../core/trouble.ts";
import type { Verdict } from "../core/verdict.ts";
import type { GateContext, ReplServer } from "../gates/gate-context.ts";
import { sessionKey } from "../machine/session-key.ts";
import { trace } from "../machine/trace.ts";
import { dropHookLogs, openHookLogs, type HookLogs } from "./hook-logs.ts";
import { loadRetryCounts, saveRetryCounts } from "./retry-counts-store.ts";
import { runGates } from "./run-gates.ts";

const MAX_CHARS = 9_000;

/** A stop that `.brepl/hooks.edn` is asked about. */
export interface BreplStop {
  readonly event: StopEvent;
  /** Where `.brepl` is; no other directory is looked at. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly replServer: ReplServer;
}

/** The same line as every stop: configuration, plan, gates, outcomes, verdict; with a retry policy of each hook's own. */
export async function handleBreplStop(stop: BreplStop, signal: AbortSignal): Promise<Verdict> {
  return withinBounds(await judgeStop(stop, signal));
}

async function judgeStop(stop: BreplStop, signal: AbortSignal): Promise<Verdict> {
  const loaded = loadHooks(stop.cwd);
  if (!loaded.ok) return invalidHooks(loaded.trouble);
  const { hooks, diagnostics } = loaded.value;
  if (hooks.length === 0)
    return { decision: "allow", status: "no_config", message: `no hooks in ${HOOKS_FILE}` };
  const session = sessionKey(stop.event, stop.cwd);
  const { counts, warning } = loadRetryCounts(session);
  const logs = openHookLogs(stop.cwd, session);
  if (!logs.ok) return ourTrouble(explain(logs.trouble));

  trace("hooks read");
  const context = contextOf(stop, session, logs.value);
  const outcomes = await runGates(
    planHooks(hooks, counts),
    { maxParallel: 1, context, onEvent: ignore },
    signal,
  );
  trace("hooks done");
  const results = judgeHooks(hooks, outcomes, counts);
  const saved = saveRetryCounts(session, countRetries(counts, results));
  const told = results.filter(isWorthTelling);
  const verdict = verdictOfHooks(results, told.length === 0 ? "" : await describe(told, stop));
  if (told.length === 0) dropHookLogs(stop.cwd, session);
  const safe = saved.ok ? verdict : unlessEndless(verdict, results, saved.trouble);
  return withWarnings(safe, [
    ...diagnostics.map(formatDiagnostic),
    ...(warning === undefined ? [] : [warning]),
  ]);
}

async function describe(told: readonly HookResult[], stop: BreplStop): Promise<string> {
  const { describeHooks } = await import("./describe-hooks.ts");
  return describeHooks(told, stop, MAX_CHARS);
}

function contextOf({ cwd, env, replServer }: BreplStop, session: string, logs: HookLogs): GateContext {
  const { dir, runNumber } = logs;
  const runId = `${session}-${runNumber}`;
  return { root: absolutePath(cwd), logDir: dir, runNumber, runId, env, replServer, onGroup: ignore };
}

/** No hook may run, so nothing can be said about the work: the stop is allowed, and the user is told. */
function invalidHooks(trouble: Trouble): Verdict {
  if (trouble.kind !== "config-invalid") return ourTrouble(explain(trouble));
  const problems = trouble.diagnostics.map(formatDiagnostic);
  return ourTrouble([`Invalid ${HOOKS_FILE}: no hook was run.`, ...problems].join("\n"));
}

function ourTrouble(notice: string): Verdict {
  return { decision: "allow", status: "error", message: "brepl stop hooks could not run", notice };
}

/** A block that cannot be counted could be given for ever; only a hook that asked for just that may. */
function unlessEndless(verdict: Verdict, results: readonly HookResult[], trouble: Trouble): Verdict {
  const isCounted = results.some(({ effect }) => effect.kind === "retry" && effect.maxRetries > 0);
  if (verdict.decision === "allow" || !isCounted) return verdict;
  const reason = `The agent may stop, because the retry cannot be counted: ${explain(trouble)}`;
  return ourTrouble(`${reason}\n${verdict.feedback ?? ""}`);
}

function withWarnings(verdict: Verdict, warnings: readonly string[]): Verdict {
  if (warnings.length === 0) return verdict;
  const key = verdict.decision === "block" ? "feedback" : "notice";
  return { ...verdict, [key]: [verdict[key], ...warnings].filter(Boolean).join("\n\n") };
}

/** As much as a host shows, however long the names, problems and warnings are. */
async function withinBounds(verdict: Verdict): Promise<Verdict> {
  const key = verdict.decision === "block" ? "feedback" : "notice";
  const text = verdict[key];
  if (text === undefined || text.length <= MAX_CHARS) return verdict;
  const { cutText } = await import("../feedback/cut-text.ts");
  return { ...verdict, [key]: cutText(text, MAX_CHARS) };
}

function ignore(): void {}
