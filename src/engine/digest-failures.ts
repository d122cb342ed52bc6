import { join } from "node:path";
import { type GateOutcome, isRed } from "../core/outcome.ts";
import { digestGates, type GateText } from "../feedback/digest.ts";
import { findProject } from "../machine/find-project.ts";
import { readLog } from "../machine/read-log.ts";

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
  const digests = digestGates(await Promise.all(red.map((outcome) => gateText(outcome, root))), budgetChars);
  return red.map((outcome, index) => ({ outcome, digest: digests[index] ?? "" }));
}

/** A gate's log with what is needed to read it. */
export async function gateText(
  { id, name, workingDirectory, logPath }: GateOutcome,
  root: string,
): Promise<GateText> {
  const text = logPath === undefined ? "" : await readLog(join(root, logPath));
  return { id, name, text, logPath: logPath ?? "", projectRoot: root, workingDirectory };
}
