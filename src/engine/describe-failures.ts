import type { SessionHistory, Told } from "../core/history.ts";
import type { Judgement } from "../core/judge.ts";
import { isBlocking } from "../core/outcome.ts";
import { blockReason, type FailureText } from "../feedback/block-reason.ts";
import { compareAttempts, describeDelta } from "../feedback/compare-attempts.ts";
import { digestGates, gateProblems, type GateText } from "../feedback/digest.ts";
import { essenceOf } from "../feedback/essence.ts";
import { secretMasker } from "../feedback/mask-secrets.ts";
import { fingerprint } from "../feedback/problem.ts";
import { sha256 } from "../machine/session-key.ts";
import type { FinishedRun } from "./conclude-run.ts";
import { gateText } from "./digest-failures.ts";

/** What the agent reads about the failed gates, and the session that remembers it was told. */
export async function describeFailures(
  { project, outcomes, planned }: FinishedRun,
  judgement: Judgement,
): Promise<{ feedback: string; session: SessionHistory }> {
  const { settings, env } = project;
  const before = planned.session.told;
  const failures = await Promise.all(
    outcomes
      .filter(isBlocking)
      .map(async (outcome) => ({ outcome, text: await gateText(outcome, settings.root) })),
  );
  const known = new Map(
    failures.map(({ outcome, text }) => [outcome.id, knowledgeOf(text, before[outcome.id])]),
  );
  const maxChars = settings.stopHook.maxReasonChars;
  const texts = failures.map(({ outcome, text }): FailureText => {
    const previous = before[outcome.id];
    const isUnchanged = previous !== undefined && previous.essence === known.get(outcome.id)?.essence;
    return {
      outcome,
      isUnchanged,
      text: { ...text, ...(previous === undefined ? {} : { previous: previous.problems }) },
    };
  });
  const reason = blockReason(
    {
      failures: texts,
      gatesRun: outcomes.length,
      attemptsLeft: judgement.attemptsLeft ?? 0,
      digest: digestGates,
    },
    maxChars,
  );
  return {
    feedback: secretMasker(env)(reason),
    session: { ...judgement.session, told: { ...before, ...Object.fromEntries(known) } },
  };
}

function knowledgeOf(text: GateText, before: Told | undefined): Told {
  const found = gateProblems(text);
  const problems = found.map(fingerprint);
  const essence = problems.length > 0 ? problems.toSorted().join("\n") : essenceOf(text.text);
  const isCompared = before !== undefined && (before.problems.length > 0 || problems.length > 0);
  const since = isCompared ? { since: describeDelta(compareAttempts(before.problems, found)) } : {};
  return { essence: sha256(essence), problems, ...since };
}
