import { join } from "node:path";
import {
  nextStep,
  type ReviewSlot,
  type SlotFacts,
  type SlotStep,
  withAnswers,
} from "../../core/review-slot.ts";
import { readSheet, readSlot, slotFiles, type SlotFiles } from "../../machine/findings-store.ts";
import type { ReviewRun } from "./review-run.ts";

/** A slot as this run finds it, with what is to be done about it. */
export interface LoadedSlot {
  /** 1-based. */
  readonly number: number;
  readonly files: SlotFiles;
  readonly facts: SlotFacts;
  readonly step: SlotStep;
  /** The agent's sheet could not be read; it is written anew. */
  readonly isSheetBroken: boolean;
}

export function loadSlots(run: ReviewRun): Promise<readonly LoadedSlot[]> {
  const numbers = Array.from({ length: run.planned.gate.numReviews }, (_, index) => index + 1);
  return Promise.all(numbers.map((number) => loadSlot(run, number)));
}

async function loadSlot(
  { planned, context, facts: known, tree }: ReviewRun,
  number: number,
): Promise<LoadedSlot> {
  const files = slotFiles(join(context.root, context.logDir), planned.id, number);
  const [record, sheet] = await Promise.all([readSlot(files), readSheet(files)]);
  const slot = record === undefined ? undefined : withAnswers(record, sheet.answers);
  const facts = {
    startsOver: known.attempts === 0,
    changed: hasChanged(slot, tree),
    maxRounds: planned.gate.maxRounds,
  };
  const isSheetBroken = record !== undefined && sheet.isBroken;
  return { number, files, facts, step: nextStep(slot, facts), isSheetBroken };
}

/** Where no picture could be taken, anything may have changed. */
function hasChanged(slot: ReviewSlot | undefined, tree: string | null): boolean {
  return slot === undefined || tree === null || slot.tree !== tree;
}
