import { isBroken } from "../../core/baseline/baseline.ts";
import {
  atLeast,
  atMost,
  type BaselineEntry,
  countBeyond,
  entriesOf,
} from "../../core/baseline/baseline-file.ts";
import type { Notice } from "../../core/stop/verdict.ts";
import type { GateOutcome } from "../../core/outcome.ts";
import { type Plan, takesFiles } from "../../core/plan/plan.ts";
import { BASELINE_FILE, readAccepted, readBaseline } from "../../machine/baseline/baseline-store.ts";
import { Git } from "../../machine/git/git.ts";
import { Repository } from "../../machine/git/repository.ts";
import { findingsOf } from "./findings.ts";
import { type Asked, entriesAt, findReference } from "./reference.ts";

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
  const left = (await Promise.all(named.map((one) => entriesLeft(one, root, looked)))).flat();
  const count = countBeyond(looked, left);
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

/** What of a file still holds for one gate: all of it where the gate fails with an output that is not read whole, then or now. */
export async function entriesLeft(
  outcome: GateOutcome,
  root: string,
  entries: readonly BaselineEntry[],
): Promise<readonly BaselineEntry[]> {
  if (outcome.kind === "passed" && outcome.rests === undefined) return [];
  const found = await entriesFor(outcome, root);
  const own = entries.filter(({ gate }) => gate === outcome.id);
  const isRead = found.length > 0 && [...found, ...own].every(({ output }) => output === undefined);
  return isRead ? atMost(found, own) : own;
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

/** What an agent adds to the committed baseline does not count; the user learns that it was tried. */
export async function sayGrown({ project, request, planned }: Asked): Promise<readonly Notice[]> {
  const { settings, env, signal } = project;
  const isChanged = planned.detected.changes.files.some(({ path }) => path === BASELINE_FILE);
  if (request.event === undefined || !isChanged) return [];
  const repository = await Repository.around(new Git(settings.root, signal));
  const [file, reference] = [
    readBaseline(settings.root),
    await findReference(repository, { project, request, planned }),
  ];
  if (!file.ok || !reference.ok) return [];
  const before = atLeast(readAccepted(settings.root, env), await entriesAt(repository, reference.value));
  const count = countBeyond(file.value ?? [], before);
  const text = `Gauntlet: ${BASELINE_FILE} grew by ${count} in this session. What it gained does not count before it is in the base branch, or you write the file yourself: \`agent-gauntlet baseline\`.`;
  return count === 0 ? [] : [{ key: `grown ${count}`, text, isFirst: true }];
}
