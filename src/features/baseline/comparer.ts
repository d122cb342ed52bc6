import {
  compareFindings,
  type Comparison,
  type Findings,
  isBroken,
  isCrash,
  joinFindings,
  ranFewer,
} from "./compare-findings.ts";
import type { BaselineFacts } from "../../gates/outcome.ts";
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
import { describeExcuse, type GateOutcome } from "../../gates/outcome.ts";
import { runsAPart } from "../../gates/gate.ts";
import type { RunEvent, RunRequest } from "../../run/request.ts";
import { explain, type Result } from "../../trouble.ts";
import { secretMasker } from "../../system/logs/mask-secrets.ts";
import { problemLine } from "../../feedback/problem.ts";
import type { GateContext, PlannedCheck } from "../../gates/gate-context.ts";
import { BASELINE_FILE, readAccepted, readBaseline } from "./store.ts";
import { elapsedMs } from "../../system/clock.ts";
import { Git } from "../../system/git/git.ts";
import { Repository } from "../../system/git/repository.ts";
import type { Project } from "../../run/open.ts";
import type { PlannedRun } from "../../run/plan-run.ts";
import { type Before, EarlierTree } from "./earlier-tree.ts";
import { findingsOf, keyOf, whyGateCutShort, withNewNames } from "./findings.ts";
import { baselineAt, findReference, type Reference } from "./reference.ts";

/** A run whose failing checks are compared. */
export interface ComparedRun {
  readonly project: Project;
  readonly request: RunRequest;
  readonly planned: PlannedRun;
  readonly context: GateContext;
  readonly onEvent: (event: RunEvent) => void;
}

type Failed = Extract<GateOutcome, { kind: "failed" }>;

/** Tells what was there before from what the change broke, for the failing checks of one run. */
export class Comparer implements AsyncDisposable {
  readonly #run: ComparedRun;
  #earlier: EarlierTree | undefined;

  constructor(run: ComparedRun) {
    this.#run = run;
  }

  /** The outcome as it counts: a pass with a warning where nothing is new. */
  async settle(planned: PlannedCheck, outcome: Failed): Promise<GateOutcome> {
    const began = elapsedMs();
    const settled = await this.#settle(planned, outcome);
    const { baseline } = settled;
    if (baseline === undefined) return settled;
    return { ...settled, baseline: { ...baseline, tookMs: Math.round(elapsedMs() - began) } };
  }

  async #settle(planned: PlannedCheck, outcome: Failed): Promise<GateOutcome> {
    const { project, request } = this.#run;
    if (isBroken(outcome.detail)) return notCompared(outcome, { why: BROKEN });
    const now = await findingsOf(outcome, project.settings.root);
    const accepted = await this.#accepted();
    if (typeof accepted === "string") return notCompared(outcome, { why: accepted });
    const committed = findingsIn(withoutParts(accepted, planned), planned.id, keyOf);
    const isOnlyNew = request.onlyNew ?? planned.gate.onlyNew ?? false;
    if (committed === undefined && !isOnlyNew) return outcome;
    const why = whyGateCutShort(planned, now, { root: project.settings.root, env: project.env });
    if (why !== undefined) return notCompared(outcome, { why });
    if (committed === undefined) return this.#settleByTree(planned, outcome, { now });
    const compared = { now, before: committed, ...compareFindings(now, committed) };
    if (isOnlyNew && (!compared.isOnlyOld || ranFewer(now, committed)))
      return this.#settleByTree(planned, outcome, { now, committed });
    return judged(outcome, compared, {
      with: BASELINE_FILE,
      mask: this.#mask(),
      reference: await this.#trustedSince(),
    });
  }

  async #settleByTree(
    planned: PlannedCheck,
    outcome: Failed,
    { now, committed }: { readonly now: Findings; readonly committed?: Findings },
  ): Promise<GateOutcome> {
    const reference = await this.#reference();
    if (!reference.ok) return notCompared(outcome, { why: explain(reference.trouble) });
    const { words, id } = reference.value;
    this.#run.onEvent({ kind: "gate-progressed", planned, text: `failed; is compared with ${words}` });
    const found = await this.#found(planned, reference.value);
    if (!("findings" in found)) return notCompared(outcome, found);
    const renamed = withNewNames(found.findings, this.#run.planned.detected.changes.files);
    const before = committed === undefined ? renamed : joinFindings(committed, renamed);
    const facts = { with: words, reference: id, mask: this.#mask(), logPath: found.logPath };
    return judged(outcome, { now, before, ...compareFindings(now, before) }, facts);
  }

  async #found(planned: PlannedCheck, reference: Reference): Promise<Before> {
    const { project, context } = this.#run;
    const repository = await this.#repository();
    if (repository === undefined) return { why: "this is not a git repository" };
    this.#earlier ??= new EarlierTree({ project, repository, reference, context });
    return this.#earlier.found(planned);
  }

  readonly #mask = once(() => secretMasker(this.#run.project.env));

  readonly #repository = once(() => {
    const { settings, signal } = this.#run.project;
    return Repository.around(new Git(settings.root, signal));
  });

  readonly #reference = once(async (): Promise<Result<Reference>> => {
    return findReference(await this.#repository(), this.#run);
  });

  /**
   * The committed baseline as far as it counts: what it held before the agent began, or a user accepted at a terminal here. On a
   * build server it counts as it is: there, people have read the change.
   */
  readonly #accepted = once(async (): Promise<CommittedBaseline | string> => {
    const { settings, env } = this.#run.project;
    const file = readBaseline(settings.root);
    if (!file.ok) return explain(file.trouble);
    if (file.value === undefined || this.#isTrusted()) return file.value ?? EMPTY_BASELINE;
    const [repository, reference] = await Promise.all([this.#repository(), this.#reference()]);
    const before = reference.ok ? await baselineAt(repository, reference.value) : EMPTY_BASELINE;
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

  /** What a pass that rests on the file depends on. */
  async #trustedSince(): Promise<string | undefined> {
    if (this.#isTrusted()) return "ci";
    const reference = await this.#reference();
    return reference.ok ? reference.value.id : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#earlier?.[Symbol.asyncDispose]();
  }
}

/** How many tests ran when a baseline was written says nothing about a check that runs another part each time. */
function withoutParts(baseline: CommittedBaseline, { gate }: PlannedCheck): CommittedBaseline {
  return runsAPart(gate) ? { ...baseline, ran: {} } : baseline;
}

type Compared = Extract<BaselineFacts, { kind: "compared" }>;

/** A failing check with what was found out about it. */
function judged(
  outcome: Failed,
  {
    now,
    before,
    isOnlyOld,
    fresh,
    old,
    gone,
  }: Comparison & { readonly now: Findings; readonly before: Findings },
  {
    mask,
    ...facts
  }: Pick<Compared, "with" | "reference" | "logPath"> & { readonly mask: (text: string) => string },
): GateOutcome {
  const isUntold = fresh.length === 0 && !isOnlyOld && before.ended !== undefined;
  const why = isCrash(now.ended) ? CRASHED : UNTOLD;
  if (isUntold) return notCompared(outcome, { why, logPath: facts.logPath });
  const [first] = old.flatMap((at) => now.problems[at] ?? []);
  const baseline: Compared = {
    kind: "compared",
    ...facts,
    old: old.flatMap((at) => now.problems[at] ?? []).map(placedKey),
    first: first === undefined ? undefined : mask(problemLine(first.problem, MOST_SHOWN_CHARS)),
    gone: gone.slice(0, MOST_GONE).flatMap((at) => before.problems[at]?.problem ?? []),
  };
  if (!isOnlyOld) return { ...outcome, baseline: fresh.length === 0 ? { ...baseline, old: [] } : baseline };
  if (ranFewer(now, before)) return notCompared(outcome, { why: fewer(now, before), logPath: facts.logPath });
  const { detail, missing: _none, ...rest } = outcome;
  const warning = `${detail}, but ${describeExcuse(baseline)}`;
  return { ...rest, kind: "passed", warning, rests: "baseline", baseline };
}

function fewer(now: Findings, before: Findings): string {
  const ran = now.ran === undefined ? "it counted no tests" : `it ran ${counted(now.ran, "test")}`;
  return `${ran} where it ran ${before.ran ?? 0} before, and what the others would have found is not known`;
}

const MOST_GONE = 500;
const MOST_SHOWN_CHARS = 160;
const CRASHED = "it crashed, and what it would have found is not known";
const BROKEN = "the command itself could not be run, so it has looked at nothing";
const UNTOLD = "its output is not the same as before, and what differs cannot be read as problems";

function notCompared(outcome: Failed, { why, logPath }: Extract<Before, { why: string }>): GateOutcome {
  const oneLine = why.replaceAll(/\s*\n\s*/g, " ").replace(/\.$/, "");
  return { ...outcome, baseline: { kind: "not-compared", why: oneLine, logPath } };
}
