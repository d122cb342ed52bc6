import { type GateOutcome, isRed } from "../core/outcome.ts";
import { secretMasker } from "../feedback/mask-secrets.ts";
import type { Problem } from "../feedback/problem.ts";
import type { RunReport } from "../report/run-report.ts";
import { readOutcome } from "./read-outcome.ts";

/** What every report of a run is made from: the problems of each red gate, read from its log, with secrets hidden. */
export async function collectReport(
  root: string,
  outcomes: readonly GateOutcome[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<RunReport> {
  const mask = secretMasker(env);
  const problems = await Promise.all(
    outcomes.filter(isRed).map(async (outcome): Promise<[string, readonly Problem[]]> => {
      const { problems: found } = await readOutcome(outcome, root);
      return [outcome.id, found.map((problem) => masked(problem, mask))];
    }),
  );
  return { outcomes, problems: Object.fromEntries(problems) };
}

function masked(problem: Problem, mask: (text: string) => string): Problem {
  const { message, test, excerpt } = problem;
  return {
    ...problem,
    message: mask(message),
    ...(test === undefined ? {} : { test: mask(test) }),
    ...(excerpt === undefined ? {} : { excerpt: mask(excerpt) }),
  };
}
