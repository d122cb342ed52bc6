import type { SessionHistory, Told } from "../core/history.ts";
import type { Judgement } from "../core/judge.ts";
import { type GateOutcome, isBlocking } from "../core/outcome.ts";
import type { Progress } from "../core/progress.ts";
import { blockReason } from "../feedback/block-reason.ts";
import { compareAttempts, type Delta, describeDelta } from "../feedback/compare-attempts.ts";
import { digestGates, type Draft, type GateReading } from "../feedback/digest.ts";
import { essenceOf } from "../feedback/clean-text.ts";
import { secretMasker } from "../feedback/mask-secrets.ts";
import { fingerprint } from "../feedback/problem.ts";
import { sha256 } from "../machine/session-key.ts";
import type { FinishedRun } from "./conclude-run.ts";
import { readOutcome } from "./read-outcome.ts";

/** What the logs of the failed gates say, compared with the attempt before. */
export interface KnownFailures {
  /** Absent on the first attempt. */
  readonly progress?: Progress;
  /** What the agent reads, and the session that remembers it was told. */
  readonly tell: (judgement: Judgement) => { feedback: string; session: SessionHistory };
  /** What the person reads when we give up. */
  readonly handoff: () => string;
}

const HANDOFF_CHARS = 1_500;

/** Reads the logs of the failed gates once, for the verdict, the agent and the person. */
export async function knowFailures(run: FinishedRun): Promise<KnownFailures> {
  const { project, outcomes, planned } = run;
  const { settings, env } = project;
  const before = planned.session.told;
  const failures = await Promise.all(
    outcomes.filter(isBlocking).map((outcome) => knowFailure(outcome, settings.root, before[outcome.id])),
  );
  const mask = secretMasker(env);
  const progress = progressOf(failures, run);
  return {
    ...(progress === undefined ? {} : { progress }),
    tell: (judgement) => {
      const facts = {
        failures,
        gatesRun: outcomes.length,
        attemptsLeft: judgement.attemptsLeft ?? 0,
      };
      const told = Object.fromEntries(failures.map(({ outcome, told: one }) => [outcome.id, one]));
      return {
        feedback: mask(blockReason(facts, settings.stopHook.maxReasonChars)),
        session: { ...judgement.session, told: { ...before, ...told } },
      };
    },
    handoff: () => mask(handoffText(failures)),
  };
}

/** A failed gate, what it said, and what was known of it before. */
interface KnownFailure {
  readonly outcome: GateOutcome;
  readonly reading: GateReading;
  /** Compared with what the agent was told before. */
  readonly draft: Draft;
  readonly told: Told;
  readonly delta?: Delta;
  readonly isUnchanged: boolean;
}

async function knowFailure(
  outcome: GateOutcome,
  root: string,
  before: Told | undefined,
): Promise<KnownFailure> {
  const reading = await readOutcome(outcome, root);
  const problems = reading.problems.map(fingerprint);
  const essence = sha256(problems.length > 0 ? problems.toSorted().join("\n") : essenceOf(reading.text));
  const isCompared = before !== undefined && (before.problems.length > 0 || problems.length > 0);
  const delta = isCompared ? compareAttempts(before.problems, reading.problems) : undefined;
  return {
    outcome,
    reading,
    draft: reading.draft(before?.problems),
    told: { essence, problems, ...(delta === undefined ? {} : { since: describeDelta(delta) }) },
    ...(delta === undefined ? {} : { delta }),
    isUnchanged: before?.essence === essence,
  };
}

/** Compared with the failures this session still had open; without any there is nothing to compare with. */
function progressOf(failures: readonly KnownFailure[], { planned }: FinishedRun): Progress | undefined {
  const open = planned.session.openFailures.map(({ id }) => id);
  if (open.length === 0) return undefined;
  const failing = new Set(failures.map(({ outcome }) => outcome.id));
  const isGateFixed = open.some((id) => !failing.has(id));
  const isAnyGone = failures.some(({ delta }) => delta !== undefined && delta.fixed > 0);
  const isSame = !isGateFixed && failures.every(({ isUnchanged }) => isUnchanged);
  return { isSame, isBetter: isGateFixed || isAnyGone };
}

function handoffText(failures: readonly KnownFailure[]): string {
  const digests = digestGates(
    failures.map(({ reading }) => reading.draft()),
    HANDOFF_CHARS,
  );
  return failures.map(({ outcome }, index) => `${outcome.id}\n${digests[index] ?? ""}`).join("\n\n");
}
