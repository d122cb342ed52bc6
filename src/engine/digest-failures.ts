import { type GateOutcome, isRed } from "../core/outcome.ts";
import { digestGates } from "../feedback/digest.ts";
import { findProject } from "../machine/find-project.ts";
import { readOutcome } from "./read-outcome.ts";

/** A red gate with the useful part of what it printed. */
export interface DigestedFailure {
  readonly outcome: GateOutcome;
  readonly digest: string;
}

/** The useful part of each red gate's output, within one budget; warnings count too. */
export async function digestFailures(
  cwd: string,
  outcomes: readonly GateOutcome[],
  budgetChars: number,
): Promise<readonly DigestedFailure[]> {
  const root = findProject(cwd) ?? cwd;
  const red = outcomes.filter(isRed);
  const readings = await Promise.all(red.map((outcome) => readOutcome(outcome, root)));
  const digests = digestGates(
    readings.map(({ draft }) => draft()),
    budgetChars,
  );
  return red.map((outcome, index) => ({ outcome, digest: digests[index] ?? "" }));
}
