import { join } from "node:path";
import {
  type FindingAnswer,
  nextStep,
  type ReviewSlot,
  type SlotFacts,
  type SlotStep,
  withAnswers,
} from "../../core/review/review-slot.ts";
import { readSheet, readSlot, type Sheet, slotFiles, type SlotFiles } from "../../machine/state/findings.ts";
import type { ReviewRun } from "./review-material.ts";

/** A slot as this run finds it, with what is to be done about it. */
export interface LoadedSlot {
  /** 1-based. */
  readonly number: number;
  readonly files: SlotFiles;
  readonly facts: SlotFacts;
  readonly step: SlotStep;
  /** The agent's sheet could not be read; it is written again. */
  readonly isSheetBroken: boolean;
}

/** Reads every slot. Two slots may have found the same; an answer on either sheet is an answer to both. */
export function loadSlots(run: ReviewRun): readonly LoadedSlot[] {
  const { planned, context } = run;
  const logDir = join(context.root, context.logDir);
  const stored = Array.from({ length: planned.gate.numReviews }, (_, index) => {
    const files = slotFiles(logDir, planned.id, index + 1);
    return { number: index + 1, files, record: readSlot(files), sheet: readSheet(files) };
  });
  const answers = new Map(stored.flatMap(({ sheet }) => [...sheet.answers].filter(isAnswered)));
  return stored.map((slot) => decideSlot(run, slot, answers));
}

interface StoredSlot {
  readonly number: number;
  readonly files: SlotFiles;
  readonly record: ReviewSlot | undefined;
  readonly sheet: Sheet;
}

function decideSlot(
  { planned, facts: known, tree }: ReviewRun,
  { number, files, record, sheet }: StoredSlot,
  answers: Sheet["answers"],
): LoadedSlot {
  const slot = record === undefined ? undefined : withAnswers(record, answers);
  const facts = {
    startsOver: known.attempts === 0,
    changed: hasChanged(slot, tree),
    maxRounds: planned.gate.maxRounds,
  };
  const isSheetBroken = record !== undefined && sheet.isBroken;
  return { number, files, facts, step: nextStep(slot, facts), isSheetBroken };
}

function isAnswered([, { status }]: readonly [string, FindingAnswer]): boolean {
  return status !== "new";
}

/** Where no picture could be taken, anything may have changed. */
function hasChanged(slot: ReviewSlot | undefined, tree: string | null): boolean {
  return slot === undefined || tree === null || slot.tree !== tree;
}
