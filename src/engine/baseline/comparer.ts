import { join } from "node:path";
import {
  type BaselineFacts,
  compareFindings,
  type Comparison,
  type Findings,
  isBroken,
  isCrash,
  joinFindings,
  placedKey,
} from "../../core/baseline/baseline.ts";
import { atLeast, atMost, type BaselineEntry, findingsIn } from "../../core/baseline/baseline-file.ts";
import { mayHideFailures } from "../../core/baseline/chain.ts";
import { definedOnly } from "../../core/defined-only.ts";
import { once } from "../../core/once.ts";
import { describeExcuse, type GateOutcome } from "../../core/outcome.ts";
import type { RunEvent, RunRequest } from "../../core/run.ts";
import { explain, type Result } from "../../core/trouble.ts";
import { secretMasker } from "../../feedback/text/mask-secrets.ts";
import { cutText } from "../../feedback/text/cut-text.ts";
import { problemLine } from "../../feedback/problem.ts";
import type { GateContext, PlannedCheck } from "../../gates/gate-context.ts";
import { BASELINE_FILE, readAccepted, readBaseline } from "../../machine/baseline/baseline-store.ts";
import { elapsedMs } from "../../machine/clock.ts";
import { Git } from "../../machine/git/git.ts";
import { Repository } from "../../machine/git/repository.ts";
import type { Project } from "../run/project.ts";
import type { PlannedRun } from "../run/plan-run.ts";
import { type Before, EarlierTree } from "./earlier-tree.ts";
import { chainIn, findingsOf, keyOf, withNewNames } from "./findings.ts";
import { entriesAt, findReference, type Reference } from "./reference.ts";

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
    const committed = findingsIn(accepted, planned.id, keyOf);
    const isOnlyNew = request.onlyNew ?? planned.gate.onlyNew ?? false;
    if (committed === undefined) return isOnlyNew ? this.#settleByTree(planned, outcome, { now }) : outcome;
    const compared = { now, before: committed, ...compareFindings(now, committed) };
    if (isOnlyNew && !compared.isOnlyOld) return this.#settleByTree(planned, outcome, { now, committed });
    return judged(outcome, compared, {
      with: BASELINE_FILE,
      ...this.#asideOf(planned, now),
      ...definedOnly({ reference: await this.#trustedSince() }),
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
    const shown = { with: words, reference: id, ...this.#asideOf(planned, now) };
    const facts = { ...shown, ...definedOnly({ logPath: found.logPath }) };
    return judged(outcome, { now, before, ...compareFindings(now, before) }, facts);
  }

  async #found(planned: PlannedCheck, reference: Reference): Promise<Before> {
    const { project, context } = this.#run;
    const repository = await this.#repository();
    if (repository === undefined) return { why: "this is not a git repository" };
    this.#earlier ??= new EarlierTree({ project, repository, reference, context });
    return this.#earlier.found(planned);
  }

  #asideOf({ gate, workingDirectory }: PlannedCheck, { problems }: Findings): Aside {
    const cwd = join(this.#run.project.settings.root, workingDirectory);
    const chain = chainIn(cwd, gate.command);
    const found = problems.map(({ problem }) => problem);
    return { mask: this.#mask(), ...(mayHideFailures(chain, found) ? { chain } : {}) };
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
  readonly #accepted = once(async (): Promise<readonly BaselineEntry[] | string> => {
    const { settings, env } = this.#run.project;
    const file = readBaseline(settings.root);
    if (!file.ok) return explain(file.trouble);
    if (file.value === undefined || this.#isTrusted()) return file.value ?? [];
    const [repository, reference] = await Promise.all([this.#repository(), this.#reference()]);
    const before = reference.ok ? await entriesAt(repository, reference.value) : [];
    return atMost(file.value, atLeast(readAccepted(settings.root, env), before));
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

interface Aside {
  /** A report that a tool has written is not masked as its log is. */
  readonly mask: (text: string) => string;
  /** Commands of which the last may not have run. */
  readonly chain?: readonly string[];
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
  { mask, chain, ...facts }: Pick<Compared, "with" | "reference" | "logPath"> & Aside,
): GateOutcome {
  const isUntold = fresh.length === 0 && !isOnlyOld && before.ended !== undefined;
  const why = isCrash(now.ended) ? CRASHED : UNTOLD;
  if (isUntold) return notCompared(outcome, { why, ...definedOnly({ logPath: facts.logPath }) });
  const [first] = old.flatMap((at) => now.problems[at] ?? []);
  const baseline: Compared = {
    kind: "compared",
    ...facts,
    old: old.flatMap((at) => now.problems[at] ?? []).map(placedKey),
    ...(first === undefined ? {} : { first: mask(problemLine(first.problem, MOST_SHOWN_CHARS)) }),
    gone: gone.slice(0, MOST_GONE).flatMap((at) => before.problems[at]?.problem ?? []),
  };
  if (!isOnlyOld) return { ...outcome, baseline: fresh.length === 0 ? { ...baseline, old: [] } : baseline };
  if (chain !== undefined) return notCompared(outcome, { why: cutShort(chain) });
  const { detail, missing: _none, ...rest } = outcome;
  const warning = `${detail}, but ${describeExcuse(baseline)}`;
  return { ...rest, kind: "passed", warning, rests: "baseline", baseline };
}

function cutShort(chain: readonly string[]): string {
  const last = cutText(chain.at(-1) ?? "", MOST_SHOWN_CHARS);
  return `it ends at the first command that fails, and \`${last}\` may not have run: give each of its ${chain.length} commands a check of its own`;
}

const MOST_GONE = 500;
const MOST_SHOWN_CHARS = 160;
const CRASHED = "it crashed, and what it would have found is not known";
const BROKEN = "the command itself could not be run, so it has looked at nothing";
const UNTOLD = "its output is not the same as before, and what differs cannot be read as problems";

function notCompared(outcome: Failed, { why, logPath }: Extract<Before, { why: string }>): GateOutcome {
  const oneLine = why.replaceAll(/\s*\n\s*/g, " ").replace(/\.$/, "");
  return { ...outcome, baseline: { kind: "not-compared", why: oneLine, ...definedOnly({ logPath }) } };
}
