import { hasRetriesLeft, type Hook, type RetryCounts } from "./hook.ts";
import { projectPath } from "./path.ts";
import type { Plan } from "./plan.ts";

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
