import type { Hook, RetryCounts } from "../config/brepl/load.ts";
import type { GateOutcome } from "../gates/outcome.ts";
import { projectPath } from "../path.ts";
import type { Plan } from "../run/plan.ts";
import type { Status } from "../stop/status.ts";
import type { Verdict } from "../stop/verdict.ts";

type HookEffect =
  | { readonly kind: "passed" }
  | { readonly kind: "skipped" }
  | { readonly kind: "retry"; readonly attempt: number; readonly maxRetries: number }
  /** Would send it back, but has done so often enough. */
  | { readonly kind: "gave-up"; readonly retries: number }
  | { readonly kind: "reported" }
  /** Should have run and could not, or was cut short. */
  | { readonly kind: "not-run" };

export interface HookResult {
  readonly hook: Hook;
  readonly outcome: GateOutcome;
  readonly effect: HookEffect;
}

function hasRetriesLeft(hook: Hook, counts: RetryCounts): boolean {
  if (!hook.retryOnFailure) return false;
  return hook.maxRetries === 0 || countOf(hook, counts) < hook.maxRetries;
}

export function judgeHooks(
  hooks: readonly Hook[],
  outcomes: readonly GateOutcome[],
  counts: RetryCounts,
): readonly HookResult[] {
  return hooks.flatMap((hook, index) => {
    const outcome = outcomes[index];
    return outcome === undefined ? [] : [{ hook, outcome, effect: judgeHook(hook, outcome, counts) }];
  });
}

/** Whether a hook is worth a word: not when it passed, nor when it was skipped before anything could go wrong. */
export function isWorthTelling({ effect, outcome }: HookResult): boolean {
  if (effect.kind === "skipped") return outcome.kind === "errored" || outcome.logPath !== undefined;
  return effect.kind !== "passed";
}

export function countRetries(counts: RetryCounts, results: readonly HookResult[]): RetryCounts {
  const isBlocked = results.some(({ effect }) => effect.kind === "retry");
  const names = new Set(results.map(({ hook }) => hook.gate.name));
  const next = new Map([...counts].filter(([name]) => names.has(name)));
  for (const { hook, effect } of results) {
    if (effect.kind === "retry") next.set(hook.gate.name, effect.attempt);
    else if (isReset(effect, isBlocked)) next.delete(hook.gate.name);
  }
  return next;
}

function judgeHook(hook: Hook, outcome: GateOutcome, counts: RetryCounts): HookEffect {
  switch (outcome.kind) {
    case "passed":
      return { kind: "passed" };
    case "failed":
      return outcome.missing === undefined ? judgeFailure(hook, counts) : { kind: "not-run" };
    case "timed-out":
      return judgeFailure(hook, counts);
    case "errored":
    case "unavailable":
      return { kind: hook.required ? "not-run" : "skipped" };
    case "cancelled":
      return { kind: "not-run" };
    case "skipped":
      return { kind: "skipped" };
  }
}

function judgeFailure(hook: Hook, counts: RetryCounts): HookEffect {
  if (!hook.retryOnFailure) return { kind: "reported" };
  const { maxRetries } = hook;
  if (!hasRetriesLeft(hook, counts)) return { kind: "gave-up", retries: maxRetries };
  return { kind: "retry", attempt: countOf(hook, counts) + 1, maxRetries };
}

/** A spent budget is reset only by an allowed stop: otherwise two hooks could keep each other going indefinitely. */
function isReset(effect: HookEffect, isBlocked: boolean): boolean {
  if (effect.kind === "gave-up") return !isBlocked;
  return effect.kind === "passed" || effect.kind === "reported";
}

function countOf(hook: Hook, counts: RetryCounts): number {
  return counts.get(hook.gate.name) ?? 0;
}

const HERE = projectPath(".");

/** Every hook, one after another; one that would send the agent back keeps the later ones from starting. */
export function planHooks(hooks: readonly Hook[], counts: RetryCounts): Plan {
  const gates = hooks.map((hook, index) => ({
    id: `${hook.gate.kind}:${index + 1}:${hook.gate.name}`,
    gate: { ...hook.gate, failFast: hasRetriesLeft(hook, counts) },
    scope: HERE,
    workingDirectory: (hook.gate.kind === "check" ? hook.gate.workingDirectory : undefined) ?? HERE,
    files: [],
    reason: "hooks run at every stop",
  }));
  return { gates, skipped: [] };
}

export function statusOfHooks(results: readonly HookResult[]): Status {
  const has = (kind: HookEffect["kind"]): boolean => results.some(({ effect }) => effect.kind === kind);
  if (has("retry")) return "failed";
  if (has("not-run")) return "error";
  if (has("gave-up")) return "retry_limit_exceeded";
  if (has("reported")) return "passed_with_warnings";
  return has("passed") ? "passed" : "no_applicable_gates";
}

export function verdictOfHooks(results: readonly HookResult[], report: string): Verdict {
  const status = statusOfHooks(results);
  const message = `brepl stop hooks: ${status.replaceAll("_", " ")}`;
  if (status === "failed") return { decision: "block", status, message, feedback: report };
  return { decision: "allow", status, message, notice: report || undefined };
}
