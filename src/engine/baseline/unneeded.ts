import { isBroken } from "../../core/baseline.ts";
import { type BaselineEntry, countBeyond, entriesOf } from "../../core/baseline-file.ts";
import type { GateOutcome } from "../../core/outcome.ts";
import { type Plan, takesFiles } from "../../core/plan.ts";
import { BASELINE_FILE, readBaseline } from "../../machine/baseline/baseline-store.ts";
import { findingsOf } from "./findings.ts";

/** What of the committed baseline is fixed, as far as this run can tell; in one sentence for the user. */
export async function sayUnneeded(
  root: string,
  plan: Plan,
  outcomes: readonly GateOutcome[],
): Promise<string | undefined> {
  const file = readBaseline(root);
  const existing = file.ok ? (file.value ?? []) : [];
  const partial = plan.gates.filter(({ gate }) => takesFiles(gate)).map(({ id }) => id);
  const { decided } = sortOutcomes(outcomes.filter(({ id }) => !partial.includes(id)));
  const looked = existing.filter(({ gate }) => decided.some(({ id }) => id === gate));
  if (looked.length === 0) return undefined;
  const named = decided.filter(({ id }) => looked.some(({ gate }) => gate === id));
  const found = (await Promise.all(named.map((one) => entriesFor(one, root)))).flat();
  const count = countBeyond(looked, found);
  if (count === 0) return undefined;
  const problems = count === 1 ? "1 problem" : `${count} problems`;
  return `${problems} of ${BASELINE_FILE} ${count === 1 ? "is" : "are"} fixed: \`agent-gauntlet baseline --prune\` removes ${count === 1 ? "it" : "them"}.`;
}

/** What the file would say about one gate. */
export async function entriesFor(outcome: GateOutcome, root: string): Promise<readonly BaselineEntry[]> {
  if (outcome.kind === "passed" && outcome.rests === undefined) return [];
  const found = await findingsOf(outcome, root);
  return entriesOf(outcome.id, { ...found, ended: found.ended ?? endIn(outcome) });
}

/** An excused check failed, too; its warning begins with how. */
function endIn(outcome: GateOutcome): string {
  return outcome.kind === "passed" ? (/^[^,]+/.exec(outcome.warning ?? "")?.[0] ?? "") : "";
}

/** A check that could not do its work says nothing about its problems. */
export function sortOutcomes(outcomes: readonly GateOutcome[]) {
  return { decided: outcomes.filter(isDecided), undecided: outcomes.filter((one) => !isDecided(one)) };
}

function isDecided(outcome: GateOutcome): boolean {
  if (outcome.kind !== "failed") return outcome.kind === "passed";
  return outcome.missing === undefined && !isBroken(outcome.detail);
}
