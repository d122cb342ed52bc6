import type { Environment } from "../../system/process/environment.ts";
import { join } from "node:path";
import { parse as parseTolerant } from "jsonc-parser";
import * as z from "zod";
import { isRecord, parseJson } from "../../json.ts";
import { FINDING_STATUSES, PRIORITIES } from "./finding.ts";
import { projectPath } from "../../path.ts";
import type { FindingAnswer, ReviewSlot } from "./slot.ts";
import type { Result } from "../../trouble.ts";
import { sha256 } from "#runtime";
import { listDirectory, readText, writeFileAtomic } from "../../system/files/files.ts";
import { now } from "../../system/clock.ts";
import { stateHome } from "../../system/files/xdg.ts";

/** Our own record, and the sheet on which the agent answers. */
export interface SlotFiles {
  readonly record: string;
  readonly sheet: string;
}

export interface Sheet {
  readonly answers: ReadonlyMap<string, FindingAnswer>;
  readonly isBroken: boolean;
}

/** The agent finds the sheet in the log directory itself. */
export function slotFiles(logDir: string, gateId: string, slot: number): SlotFiles {
  const name = sheetName(gateId, slot);
  return { record: join(logDir, ".state", "reviews", name), sheet: join(logDir, name) };
}

/** If two ids would look the same, a part of their hash tells them apart. */
export function sheetName(gateId: string, slot: number): string {
  const readable = gateId.replaceAll(/[^A-Za-z0-9._-]/g, "_").slice(0, 150);
  const isPlain = /^[A-Za-z0-9.:-]{1,150}$/.test(gateId);
  return `${readable}${isPlain ? "" : `.${sha256(gateId).slice(0, 8)}`}.slot-${slot}.json`;
}

export function treesOfSlots(logDir: string): readonly string[] {
  const directory = join(logDir, ".state", "reviews");
  const names = listDirectory(directory);
  const records = (names.ok ? names.value : []).filter((name) => name.endsWith(".json"));
  return records.flatMap((name) => readSlot({ record: join(directory, name), sheet: "" })?.tree ?? []);
}

/** A file of another version counts as absent. */
const VERSION = 1;

const finding = z.object({
  id: z.string().min(1),
  file: z.string().min(1).transform(projectPath),
  line: z.int().positive().nullable(),
  issue: z.string(),
  fix: z.string(),
  priority: z.enum(PRIORITIES),
  status: z.enum(FINDING_STATUSES),
  result: z.string(),
});

const slotFile = z.object({
  version: z.literal(VERSION),
  gate: z.string(),
  slot: z.int().positive(),
  round: z.int().positive(),
  reviewer: z.string(),
  tree: z.string().nullable(),
  confirmed: z.array(z.string()),
  findings: z.array(finding),
});

export function readSlot({ record }: SlotFiles): ReviewSlot | undefined {
  const text = readText(record, MAX_BYTES);
  const read = slotFile.safeParse(text.ok ? unsealed(parseJson(text.value)) : undefined);
  return read.success ? read.data : undefined;
}

/** Without the seal, a record that lost its findings would settle them. */
function unsealed(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  const { seal, ...content } = value;
  return seal === sealOf(content) ? content : undefined;
}

function sealOf(content: object): string {
  return sha256(JSON.stringify(content));
}

const MAX_BYTES = 8 * 1024 * 1024;

const answeredSheet = z.object({ findings: z.array(z.unknown()) });
const answer = z.object({
  id: z.string(),
  status: z.string().trim().toLowerCase().pipe(z.enum(FINDING_STATUSES)),
  result: z.string().nullish(),
});

/** The parser recurses for each bracket: a text of nothing else would end the stop in an error, which lets the agent stop. */
function parseSheet(text: string): unknown {
  try {
    return parseTolerant(text, [], { allowTrailingComma: true });
  } catch {
    return undefined;
  }
}

/** A stray comma in a hand-edited file must not lose an answer. */
export function readSheet({ sheet }: SlotFiles): Sheet {
  const text = readText(sheet, MAX_BYTES);
  if (!text.ok) return { answers: new Map(), isBroken: text.trouble.kind !== "file-missing" };
  const read = answeredSheet.safeParse(parseSheet(text.value));
  if (!read.success) return { answers: new Map(), isBroken: true };
  const answers = read.data.findings.flatMap((item) => {
    const one = answer.safeParse(item);
    return one.success
      ? [[one.data.id, { status: one.data.status, result: one.data.result ?? "" }] as const]
      : [];
  });
  return { answers: new Map(answers), isBroken: false };
}

const HOW_TO_ANSWER =
  'For each finding set "status" to "fixed" (say in "result" what you did) or "skipped" (say in "result" why it stays). Change nothing else.';

export function writeSlot(files: SlotFiles, slot: ReviewSlot): Result<void> {
  const { gate, slot: number, round, reviewer, tree, confirmed, findings } = slot;
  const content = { version: VERSION, gate, slot: number, round, reviewer, tree, confirmed, findings };
  const recorded = writeFileAtomic(files.record, toJson({ ...content, seal: sealOf(content) }));
  if (!recorded.ok) return recorded;
  return writeFileAtomic(files.sheet, toJson({ how_to_answer: HOW_TO_ANSWER, ...content }));
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const COOLDOWN_MS = 60 * 60 * 1000;

/** When a reviewer may be asked again, in any project; undefined if now. */
export function restingUntil(reviewer: string, env: Environment): number | undefined {
  const text = readText(cooldownFile(reviewer, env));
  const until = text.ok ? Number(text.value) : Number.NaN;
  const left = until - now();
  return left > 0 && left <= COOLDOWN_MS ? until : undefined; // a clock that was set back must not make it longer
}

/** If it cannot be written, that costs only a second try. */
export function letRest(reviewer: string, env: Environment): number {
  const until = now() + COOLDOWN_MS;
  writeFileAtomic(cooldownFile(reviewer, env), `${until}\n`);
  return until;
}

/** A file for each reviewer: two runs cannot overwrite each other's. */
function cooldownFile(reviewer: string, env: Environment): string {
  const name = /^[a-z-]{1,40}$/.test(reviewer) ? reviewer : sha256(reviewer).slice(0, 32);
  return join(stateHome(env), "reviewers", `${name}.resting`);
}
