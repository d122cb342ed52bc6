import type { Environment } from "../../system/process/environment.ts";
import { ok, type Result } from "../../trouble.ts";
import { findIsolation } from "./isolation.ts";
import type { FoundHook } from "./found-hook.ts";
import { makePlayground } from "./playground.ts";
import { playScenarios, type ScenarioName, type Trial } from "./scenarios.ts";
import { type HookVerdict, verdictsOn } from "./verdicts.ts";

export interface AuditedHook {
  readonly hook: FoundHook;
  readonly verdicts: readonly HookVerdict[];
  readonly trials: readonly Trial[];
}

export interface Audit {
  readonly hooks: readonly AuditedHook[];
  /** Whether the hooks could reach the network, because this system cannot cut it. */
  readonly network: boolean;
}

interface Request {
  readonly root: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly onScenario?: (hook: FoundHook, scenario: ScenarioName) => void;
}

/** Runs each hook in scratch copies of the project, one after the other. */
export async function auditHooks(hooks: readonly FoundHook[], request: Request): Promise<Result<Audit>> {
  const { root, env, signal, onScenario } = request;
  const made = await makePlayground(root, env, signal);
  if (!made.ok) return made;
  await using playground = made.value;
  const isolation = await findIsolation(playground.root, env);
  const audited: AuditedHook[] = [];
  for (const hook of hooks) {
    const isPlayed = hook.untried === undefined && hook.inert === undefined;
    const stage = {
      playground,
      isolation,
      signal,
      ...(onScenario === undefined ? {} : { onScenario: (name: ScenarioName) => onScenario(hook, name) }),
    };
    const trials = isPlayed ? await playScenarios(stage, hook) : [];
    audited.push({ hook, trials, verdicts: verdictsOn(hook, trials) });
  }
  return ok({ hooks: audited, network: isolation.hasNetwork });
}
