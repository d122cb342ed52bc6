import { isBroken, ranFewer } from "./compare-findings.ts";
import {
  atLeast,
  atMost,
  type BaselineEntry,
  type CommittedBaseline,
  countBeyond,
  EMPTY_BASELINE,
  entriesOf,
} from "./baseline-file.ts";
import type { Notice } from "../../stop/notices.ts";
import { type GateOutcome, nameOutcome } from "../../gates/outcome.ts";
import type { Project } from "../../run/open.ts";
import type { Plan } from "../../run/plan.ts";
import type { PlannedRun } from "../../run/plan-run.ts";
import type { RunRequest } from "../../run/request.ts";
import { takesFiles } from "../../gates/gate.ts";
import { BASELINE_FILE, readAccepted, readBaseline } from "./store.ts";
import { counted } from "../../words.ts";
import { Git } from "../../system/git/git.ts";
import { Repository } from "../../system/git/repository.ts";
import type { Environment } from "../../system/process/environment.ts";
import { findingsOf, whyGateCutShort } from "./findings.ts";
import { findEarlierTree } from "../../run/earlier-tree.ts";
import { baselineAt } from "./baseline-at.ts";

export async function baselineAdvice(ran: ChecksRun): Promise<string | undefined> {
  const { root, plan, outcomes } = ran;
  const file = readBaseline(root);
  const existing = (file.ok ? file.value : undefined) ?? EMPTY_BASELINE;
  if (existing.entries.length === 0) return undefined;
  const partial = plan.gates.filter(({ gate }) => takesFiles(gate)).map(({ id }) => id);
  const whole = outcomes.filter(({ id }) => !partial.includes(id));
  const { decided } = await sortOutcomes({ ...ran, outcomes: whole }, existing.ran);
  const looked = existing.entries.filter(({ gate }) => decided.some(({ id }) => id === gate));
  if (looked.length === 0) return undefined;
  const named = decided.filter(({ id }) => looked.some(({ gate }) => gate === id));
  const left = (await Promise.all(named.map((one) => entriesLeft(one, root, looked)))).flat();
  const count = countBeyond(looked, left);
  if (count === 0) return undefined;
  const [are, them] = count === 1 ? ["is", "it"] : ["are", "them"];
  return `${counted(count, "problem")} of ${BASELINE_FILE} ${are} fixed: \`agent-gauntlet baseline --prune\` removes ${them}.`;
}

export async function entriesFor(outcome: GateOutcome, root: string): Promise<readonly BaselineEntry[]> {
  if (outcome.kind === "passed" && outcome.rests === undefined) return [];
  const found = await findingsOf(outcome, root);
  return entriesOf(outcome.id, { ...found, ended: found.ended ?? endIn(outcome) });
}

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

function endIn(outcome: GateOutcome): string {
  return outcome.kind === "passed" ? (/^[^,]+/.exec(outcome.warning ?? "")?.[0] ?? "") : "";
}

export interface ChecksRun {
  readonly root: string;
  readonly env: Environment;
  readonly plan: Plan;
  readonly outcomes: readonly GateOutcome[];
}

/**
 * Separates checks that list all their problems from those that do not, and says why not: they could not run, or may have ended
 * early.
 */
export async function sortOutcomes(
  { outcomes, ...run }: ChecksRun,
  ran: CommittedBaseline["ran"] = {},
): Promise<{ readonly decided: readonly GateOutcome[]; readonly undecided: readonly Undecided[] }> {
  const sorted = await Promise.all(
    outcomes.map(async (outcome) => ({ outcome, why: await whyUndecided(outcome, run, ran) })),
  );
  return {
    decided: sorted.flatMap(({ outcome, why }) => (why === undefined ? [outcome] : [])),
    undecided: sorted.flatMap(({ outcome, why }) => (why === undefined ? [] : [{ id: outcome.id, why }])),
  };
}

interface Undecided {
  readonly id: string;
  readonly why: string;
}

async function whyUndecided(
  outcome: GateOutcome,
  { root, env, plan }: Omit<ChecksRun, "outcomes">,
  ran: CommittedBaseline["ran"],
): Promise<string | undefined> {
  if (outcome.kind === "passed") return undefined;
  if (outcome.kind !== "failed" || outcome.missing !== undefined || isBroken(outcome.detail))
    return nameOutcome(outcome);
  const planned = plan.gates.find(({ id }) => id === outcome.id);
  if (planned?.gate.kind !== "check") return undefined;
  const { gate, workingDirectory } = planned;
  const found = await findingsOf(outcome, root);
  const why = whyGateCutShort({ gate, workingDirectory }, found, root, env);
  if (why !== undefined) return `${outcome.name}: ${why}`;
  return ranFewer(found, { ran: ran[outcome.id] })
    ? `${outcome.name}: fewer tests ran than before`
    : undefined;
}

/** What an agent adds to the committed baseline does not count; the user learns that it was tried. */
export async function sayGrown(
  project: Project,
  request: RunRequest,
  planned: PlannedRun,
): Promise<readonly Notice[]> {
  const { settings, env, signal } = project;
  const isChanged = planned.detected.changes.files.some(({ path }) => path === BASELINE_FILE);
  if (request.event === undefined || !isChanged) return [];
  const repository = await Repository.around(new Git(settings.root, signal));
  const file = readBaseline(settings.root);
  const tree = await findEarlierTree(repository, project, request, planned);
  if (!file.ok || !tree.ok) return [];
  const before = await baselineAt(repository, tree.value);
  const counting = atLeast(readAccepted(settings.root, env).entries, before.entries);
  const count = countBeyond(file.value?.entries ?? [], counting);
  const text = `Gauntlet: ${BASELINE_FILE} grew by ${count} in this session. What it gained does not count before it is in the base branch, or you write the file yourself: \`agent-gauntlet baseline\`.`;
  return count === 0 ? [] : [{ rank: "tampering", key: `grown ${count}`, text }];
}
