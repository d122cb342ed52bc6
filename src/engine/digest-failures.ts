import { join } from "node:path";
import type { ReviewReport } from "../core/finding.ts";
import { type GateOutcome, isRed } from "../core/outcome.ts";
import { digestGates, type GateText } from "../feedback/digest.ts";
import { tellFindings } from "../feedback/review-text.ts";
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

/** A gate's log with what is needed to read it; a review's findings are told as they are. */
export async function gateText(outcome: GateOutcome, root: string): Promise<GateText> {
  const { id, name, workingDirectory, logPath, review, parser } = outcome;
  const place = {
    id,
    name,
    logPath: logPath ?? "",
    projectRoot: root,
    workingDirectory,
    ...(parser === undefined ? {} : { parser }),
  };
  if (review !== undefined && review.open.length > 0) return { ...place, ...reviewText(review) };
  const text = logPath === undefined ? "" : await readLog(join(root, logPath));
  return {
    ...place,
    text,
    ...(outcome.report === undefined ? {} : { report: await readLog(join(root, outcome.report)) }),
  };
}

/** The text only says whether the findings are the same as last time. */
function reviewText(review: ReviewReport): Pick<GateText, "text" | "parser" | "tell"> {
  const text = review.open.map(({ file, issue, result }) => `${file} ${issue} ${result}`).join("\n");
  return { text, parser: "none", tell: (budget) => tellFindings(review, budget) };
}
