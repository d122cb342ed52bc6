import { join } from "node:path";
import { type Finding, identify } from "../../gates/review/finding.ts";
import type { GateOutcome } from "../../gates/outcome.ts";
import { runsAPart } from "../../gates/gate.ts";
import type { RunRequest } from "../../run/request.ts";
import type { VerdictRecord } from "../../ledger/verdict-record.ts";
import { countTests } from "../../feedback/count-tests.ts";
import { cleanText } from "../../feedback/text/clean-text.ts";
import { readLogFile } from "../../system/logs/log-dir.ts";
import { ledgerOf } from "../../ledger/ledger.ts";
import { readLedger, verdictsIn } from "../../ledger/ledger-lines.ts";
import { sessionKey } from "../../system/state/state-keys.ts";
import type { Project } from "../../run/open.ts";
import type { PlannedRun } from "../../run/plan-run.ts";

export async function withCount(outcome: GateOutcome, { settings }: Project): Promise<GateOutcome> {
  if (outcome.kind !== "passed" || outcome.gate !== "check" || outcome.reused !== undefined) return outcome;
  const log = outcome.logPath === undefined ? "" : await readLogFile(join(settings.root, outcome.logPath));
  const tests = countTests(cleanText(log).split("\n"));
  return tests === undefined ? outcome : { ...outcome, tests };
}

interface RunSoFar {
  readonly project: Project;
  readonly request: RunRequest;
  readonly planned: PlannedRun;
}

/** Compares with the last pass on the same base: tests that others removed on another branch are not this change's doing. */
export function fewerTests(outcomes: readonly GateOutcome[], run: RunSoFar): readonly Finding[] {
  const partial = new Set(run.planned.plan.gates.filter(({ gate }) => runsAPart(gate)).map(({ id }) => id));
  const counted = outcomes.filter(({ id }) => !partial.has(id));
  if (!counted.some((outcome) => "tests" in outcome)) return [];
  const before = earlierPasses(run);
  return counted.flatMap((outcome): Finding[] => {
    if (outcome.kind !== "passed" || outcome.tests === undefined) return [];
    const last = before.flatMap(
      ({ outcomes: all = [] }) => all.find(({ id, tests }) => id === outcome.id && tests !== undefined) ?? [],
    )[0];
    if (last?.tests === undefined || last.tests <= outcome.tests) return [];
    const issue = `check "${outcome.name}" ran ${outcome.tests} of the ${last.tests} tests of its last pass`;
    const fix = 'Bring the missing tests back. If they had to go, answer with "skipped" and the reason.';
    return [identify({ file: outcome.scope, line: null, issue, fix, priority: "high" })];
  });
}

/** Newest first. A run that this guard blocked is no pass. */
function earlierPasses({ project, request, planned }: RunSoFar): readonly VerdictRecord[] {
  const { env, settings } = project;
  const ledger = ledgerOf(settings.root, env);
  const read = readLedger(ledger);
  if (!read.ok) return [];
  const { branch, changes } = planned.detected;
  const session = request.event === undefined ? undefined : sessionKey(request.event, settings.root);
  const isSameWork = (record: VerdictRecord): boolean =>
    record.worktree === ledger.worktree &&
    record.base === changes.baseCommit &&
    (record.branch === branch || (session !== undefined && record.session === session));
  return [...verdictsIn(read.value, '"tests":')].filter(
    (record) => isSameWork(record) && !wasBlocked(record),
  );
}

function wasBlocked({ outcomes = [] }: VerdictRecord): boolean {
  return outcomes.some(({ id, kind }) => id === "guard:.:fewer-tests" && kind === "failed");
}
