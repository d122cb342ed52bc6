import type { Finding } from "./finding.ts";
import {
  type Place,
  type ReviewSlot,
  type FindingAnswer,
  nextStep,
  type SlotFacts,
  type SlotStep,
  withAnswers,
} from "./slot.ts";
import { type FilePatch, parsePatch } from "../../system/git/parse-patch.ts";
import type { ReviewGate, PlannedGate } from "../gate.ts";
import type { ReviewTrees } from "../../system/git/patches.ts";
import type { GateContext, ReviewFacts } from "../gate-context.ts";
import { join } from "node:path";
import { readSheet, readSlot, type Sheet, slotFiles, type SlotFiles } from "./slot-store.ts";

export interface ReviewMaterial {
  readonly diff: readonly FilePatch[];
  readonly since?: readonly FilePatch[];
  readonly isInside: (place: Place) => boolean;
}

export async function wholeChange(run: ReviewRun): Promise<ReviewMaterial> {
  const { planned, facts, trees, tree } = run;
  const files = new Set(
    planned.files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])),
  );
  const patch = tree === null ? undefined : await trees.changeUpTo(tree, facts.changes);
  const diff = patch?.ok === true ? parsePatch(patch.value).filter(({ file }) => files.has(file)) : [];
  return { diff, isInside: ({ file }) => files.has(file) };
}

/** Also what changed since the slot's last round; without that round's tree, everything may have. */
export async function changeSince(
  run: ReviewRun,
  slot: ReviewSlot,
): Promise<ReviewMaterial & { since: readonly FilePatch[] }> {
  const whole = await wholeChange(run);
  const patch =
    slot.tree === null || run.tree === null ? undefined : await run.trees.between(slot.tree, run.tree);
  if (patch?.ok !== true) return { ...whole, since: whole.diff };
  const since = parsePatch(patch.value).filter(({ file }) => belongsTo(run, file, slot.findings));
  return { ...whole, since, isInside: (place) => since.some((changed) => isShownIn(changed, place)) };
}

/** Files of other entry points do not belong here. */
function belongsTo({ planned }: ReviewRun, file: string, findings: readonly Finding[]): boolean {
  const isPlanned = planned.files.some(({ path, from }) => path === file || from === file);
  return isPlanned || findings.some((finding) => finding.file === file);
}

function isShownIn({ file, shown }: FilePatch, place: Place): boolean {
  if (file !== place.file) return false;
  const { line } = place;
  return line === null || shown.some(({ first, last }) => first <= line && line <= last);
}

export type PlannedReview = PlannedGate & { readonly gate: ReviewGate };

export interface ReviewRun {
  readonly planned: PlannedReview;
  readonly context: GateContext;
  readonly facts: ReviewFacts;
  readonly trees: ReviewTrees;
  /** The work tree of this run; null without a snapshot. */
  readonly tree: string | null;
}

export interface LoadedSlot {
  readonly number: number;
  readonly files: SlotFiles;
  readonly facts: SlotFacts;
  readonly step: SlotStep;
  /** The agent's sheet is unreadable and is written again. */
  readonly isSheetBroken: boolean;
}

/** Two slots may have the same finding: an answer on either sheet is an answer to both. */
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

/** Without a snapshot anything may have changed. */
function hasChanged(slot: ReviewSlot | undefined, tree: string | null): boolean {
  return slot === undefined || tree === null || slot.tree !== tree;
}
