import { join } from "node:path";
import type { ReviewReport } from "../core/finding.ts";
import type { GateOutcome } from "../core/outcome.ts";
import { type GateReading, type GateText, readGate } from "../feedback/digest.ts";
import { tellFindings } from "../feedback/review-text.ts";
import { isFile } from "../machine/kind-of.ts";
import { readLog } from "../machine/read-log.ts";

/** What a gate printed, and what it means. */
export interface ReadOutcome extends GateReading {
  readonly text: string;
}

/** Reads a gate's log, once however many ask: the verdict, the agent, the terminal and the reports speak of the same run. */
export function readOutcome(outcome: GateOutcome, root: string): Promise<ReadOutcome> {
  const reading = readings.get(outcome) ?? readAnew(outcome, root);
  readings.set(outcome, reading);
  return reading;
}

const readings = new WeakMap<GateOutcome, Promise<ReadOutcome>>();

async function readAnew(outcome: GateOutcome, root: string): Promise<ReadOutcome> {
  const gate = await gateText(outcome, root);
  return { text: gate.text, ...readGate(gate) };
}

/** A gate's log with what is needed to read it; a review's findings are told as they are. */
async function gateText(outcome: GateOutcome, root: string): Promise<GateText> {
  const { id, name, workingDirectory, logPath, review, parser } = outcome;
  const place = {
    id,
    name,
    logPath: logPath ?? "",
    projectRoot: root,
    workingDirectory,
    isFile: (path: string) => isFile(join(root, path)),
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
