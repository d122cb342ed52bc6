import {
  compareFindings,
  type Findings,
  isBroken,
  isCrash,
  joinFindings,
  ranFewer,
} from "./compare-findings.ts";
import { placedKey } from "../../feedback/known-problems.ts";
import {
  atLeast,
  atMost,
  type CommittedBaseline,
  EMPTY_BASELINE,
  findingsIn,
  lowerOf,
} from "./baseline-file.ts";
import { counted } from "../../words.ts";
import { once } from "../../once.ts";
import {
  type ComparedFacts,
  describeExcuse,
  type FailedGate,
  type GateOutcome,
} from "../../gates/outcome.ts";
import { runsAPart } from "../../gates/gate.ts";
import type { RunEvent, RunRequest } from "../../run/request.ts";
import { explain } from "../../trouble.ts";
import { secretMasker } from "../../system/logs/mask-secrets.ts";
import { fingerprint, problemLine } from "../../feedback/problem.ts";
import type { GateContext, PlannedCheck } from "../../gates/gate-context.ts";
import { BASELINE_FILE, readAccepted, readBaseline } from "./store.ts";
import { elapsedMs } from "../../system/clock.ts";
import { Git } from "../../system/git/git.ts";
import { Repository } from "../../system/git/repository.ts";
import type { Project } from "../../run/open.ts";
import type { PlannedRun } from "../../run/plan-run.ts";
import { EarlierChecks, type EarlierFindings } from "./earlier-checks.ts";
import { findingsOf, whyGateCutShort, withNewNames } from "./findings.ts";
import { type EarlierTree, findEarlierTree } from "../../run/earlier-tree.ts";
import { baselineAt } from "./baseline-at.ts";

export interface ComparedRun {
  readonly project: Project;
  readonly request: RunRequest;
  readonly planned: PlannedRun;
  readonly context: GateContext;
  readonly onEvent: (event: RunEvent) => void;
}

type ComparedWith = Pick<ComparedFacts, "with" | "reference" | "logPath">;

export class Comparer implements AsyncDisposable {
  readonly #run: ComparedRun;
  #checks: EarlierChecks | undefined;

  constructor(run: ComparedRun) {
    this.#run = run;
  }

  async settle(planned: PlannedCheck, outcome: FailedGate): Promise<GateOutcome> {
    const began = elapsedMs();
    const settled = await this.#settle(planned, outcome);
    const { baseline } = settled;
    if (baseline === undefined) return settled;
    return { ...settled, baseline: { ...baseline, tookMs: Math.round(elapsedMs() - began) } };
  }

  async #settle(planned: PlannedCheck, outcome: FailedGate): Promise<GateOutcome> {
    const { project, request } = this.#run;
    const { root } = project.settings;
    if (isBroken(outcome.detail)) return notCompared(outcome, BROKEN);
    const now = await findingsOf(outcome, root);
    const accepted = await this.#accepted();
    if (typeof accepted === "string") return notCompared(outcome, accepted);
    const committed = findingsIn(withoutParts(accepted, planned), planned.id, fingerprint);
    const isOnlyNew = request.onlyNew ?? planned.gate.onlyNew ?? false;
    if (committed === undefined && !isOnlyNew) return outcome;
    const why = whyGateCutShort(planned, now, root, project.env);
    if (why !== undefined) return notCompared(outcome, why);
    if (committed === undefined) return this.#settleByTree(planned, outcome, now);
    const isExcused = compareFindings(now, committed).isOnlyOld && !ranFewer(now, committed);
    if (isOnlyNew && !isExcused) return this.#settleByTree(planned, outcome, now, committed);
    return this.#judge(outcome, now, committed, {
      with: BASELINE_FILE,
      reference: await this.#trustedSince(),
    });
  }

  async #settleByTree(
    planned: PlannedCheck,
    outcome: FailedGate,
    now: Findings,
    committed?: Findings,
  ): Promise<GateOutcome> {
    const tree = await this.#tree();
    if (!tree.ok) return notCompared(outcome, explain(tree.trouble));
    const { words, id } = tree.value;
    this.#run.onEvent({ kind: "gate-progressed", planned, text: `failed; is compared with ${words}` });
    const found = await this.#findingsOn(tree.value, planned);
    if ("why" in found) return notCompared(outcome, found.why, found.logPath);
    const renamed = withNewNames(found.findings, this.#run.planned.detected.changes.files);
    const before = committed === undefined ? renamed : joinFindings(committed, renamed);
    return this.#judge(outcome, now, before, { with: words, reference: id, logPath: found.logPath });
  }

  async #findingsOn(tree: EarlierTree, planned: PlannedCheck): Promise<EarlierFindings> {
    const { project, context } = this.#run;
    const repository = await this.#repository();
    if (repository === undefined) return { why: "this is not a git repository" };
    this.#checks ??= new EarlierChecks({ project, repository, tree, context });
    return this.#checks.found(planned);
  }

  #judge(outcome: FailedGate, now: Findings, before: Findings, compared: ComparedWith): GateOutcome {
    const { isOnlyOld, fresh, old, gone } = compareFindings(now, before);
    const isUnreadable = fresh.length === 0 && !isOnlyOld && before.ended !== undefined;
    if (isUnreadable) return notCompared(outcome, isCrash(now.ended) ? CRASHED : UNTOLD, compared.logPath);

    const known = old.flatMap((at) => now.problems[at] ?? []);
    const [first] = known;
    const baseline: ComparedFacts = {
      kind: "compared",
      ...compared,
      old: known.map(placedKey),
      first: first && this.#mask()(problemLine(first.problem, MOST_SHOWN_CHARS)),
      gone: gone.slice(0, MOST_GONE).flatMap((at) => before.problems[at]?.problem ?? []),
    };
    if (fresh.length > 0) return { ...outcome, baseline };
    if (!isOnlyOld) return { ...outcome, baseline: { ...baseline, old: [] } };
    if (ranFewer(now, before)) return notCompared(outcome, fewerTests(now, before), compared.logPath);

    const { detail, missing: _none, ...rest } = outcome;
    const warning = `${detail}, but ${describeExcuse(baseline)}`;
    return { ...rest, kind: "passed", warning, rests: "baseline", baseline };
  }

  readonly #mask = once(() => secretMasker(this.#run.project.env));

  readonly #repository = once(() => {
    const { settings, signal } = this.#run.project;
    return Repository.around(new Git(settings.root, signal));
  });

  readonly #tree = once(async () => {
    const { project, request, planned } = this.#run;
    return findEarlierTree(await this.#repository(), project, request, planned);
  });

  /**
   * What the file held before the agent began, or a user accepted at a terminal here. On a build server all of it counts:
   * people have read the change.
   */
  readonly #accepted = once(async (): Promise<CommittedBaseline | string> => {
    const { settings, env } = this.#run.project;
    const file = readBaseline(settings.root);
    if (!file.ok) return explain(file.trouble);
    if (file.value === undefined || this.#isTrusted()) return file.value ?? EMPTY_BASELINE;
    const [repository, tree] = await Promise.all([this.#repository(), this.#tree()]);
    const before = tree.ok ? await baselineAt(repository, tree.value) : EMPTY_BASELINE;
    const accepted = readAccepted(settings.root, env);
    return {
      entries: atMost(file.value.entries, atLeast(accepted.entries, before.entries)),
      ran: lowerOf(accepted.ran, before.ran),
    };
  });

  #isTrusted(): boolean {
    const { project, request } = this.#run;
    return project.ci && request.event === undefined;
  }

  async #trustedSince(): Promise<string | undefined> {
    if (this.#isTrusted()) return "ci";
    const tree = await this.#tree();
    return tree.ok ? tree.value.id : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#checks?.[Symbol.asyncDispose]();
  }
}

/** A check that runs a part of the tests each time says nothing by their number. */
function withoutParts(baseline: CommittedBaseline, { gate }: PlannedCheck): CommittedBaseline {
  return runsAPart(gate) ? { ...baseline, ran: {} } : baseline;
}

function fewerTests(now: Findings, before: Findings): string {
  const ran = now.ran === undefined ? "it counted no tests" : `it ran ${counted(now.ran, "test")}`;
  return `${ran} where it ran ${before.ran ?? 0} before, and what the others would have found is not known`;
}

const MOST_GONE = 500;
const MOST_SHOWN_CHARS = 160;
const CRASHED = "it crashed, and what it would have found is not known";
const BROKEN = "the command itself could not be run, so it has looked at nothing";
const UNTOLD = "its output is not the same as before, and what differs cannot be read as problems";

function notCompared(outcome: FailedGate, why: string, logPath?: ComparedFacts["logPath"]): GateOutcome {
  const oneLine = why.replaceAll(/\s*\n\s*/g, " ").replace(/\.$/, "");
  return { ...outcome, baseline: { kind: "not-compared", why: oneLine, logPath } };
}
