import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { OUTCOME_KINDS } from "../gates/outcome.ts";
import { STATUSES } from "../stop/status.ts";
import { ok, type Result } from "../trouble.ts";
import {
  type FlakyTest,
  flakyTests,
  isVerdict,
  type LedgerRecord,
  type RecordedOutcome,
  type VerdictRecord,
} from "./verdict-record.ts";
import { hasCode } from "../system/files/errno.ts";
import { modifiedAt, namesIn, NEVER_WAIT, readText, troubleOf } from "../system/files/files.ts";
import { stateHome } from "../system/files/xdg.ts";
import type { Environment } from "../system/process/environment.ts";
import { hashOf, type Head, type Ledger, ledgerIn, readHead } from "./ledger.ts";
import { parseJson } from "../json.ts";

export interface LedgerLines {
  /** The oldest first; what a writer has not appended yet is among them. */
  readonly lines: readonly string[];
  readonly older: number;
  readonly headHash?: string;
}

/** Reads while others write: what changed meanwhile is read again. */
export function readLedger(ledger: Ledger): Result<LedgerLines> {
  try {
    for (let tries = 0; ; tries++) {
      const head = readHead(ledger);
      const older = linesOf(ledger.older);
      const lines = older.concat(linesOf(ledger.file));
      if (readHead(ledger)?.hash !== head?.hash && tries < MAX_TRIES) continue;
      if (head !== undefined && isPending(lines, head)) lines.push(head.line);
      const hash = head === undefined ? {} : { headHash: head.hash };
      return ok({ lines, older: older.length, ...hash });
    }
  } catch (error) {
    return troubleOf("read", ledger.file, error);
  }
}

const MAX_TRIES = 10;
const READ = constants.O_RDONLY | NEVER_WAIT;

function isPending(lines: readonly string[], { line }: Head): boolean {
  const last = lines.at(-1);
  return last !== line && parseLine(line)?.prev === (last === undefined ? "" : hashOf(last));
}

function linesOf(file: string): string[] {
  try {
    const lines = textOf(file).split("\n");
    if (lines.at(-1) === "") lines.pop();
    return lines;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

function textOf(file: string): string {
  const fd = openSync(file, READ);
  try {
    return readFileSync(fd, "latin1");
  } finally {
    closeSync(fd);
  }
}

/** The verdicts in lines that hold a text, the newest first; the others are not even parsed. */
export function* verdictsIn({ lines }: LedgerLines, text = ""): Generator<VerdictRecord> {
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? "";
    const record = line.includes(text) ? parseLine(line) : undefined;
    if (isReadable(record)) yield record;
  }
}

export function flakyIn(lines: LedgerLines): readonly FlakyTest[] {
  return flakyTests(verdictsIn(lines, '"flaky":'));
}

/** Some hundred verdicts: enough to know what is usual. */
const RECENT_BYTES = 256 * 1024;

/** The end of the file: for what need not be complete, or is nearly always there. */
export function recentLines({ file }: Ledger): LedgerLines {
  try {
    return { lines: endOf(file, RECENT_BYTES).split("\n"), older: 0 };
  } catch (error) {
    if (hasCode(error)) return { lines: [], older: 0 };
    throw error;
  }
}

function endOf(file: string, maxBytes: number): string {
  const fd = openSync(file, READ);
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    return bytes.toString("latin1", 0, readSync(fd, bytes, 0, bytes.length, size - bytes.length));
  } finally {
    closeSync(fd);
  }
}

/** A line that was edited by hand must not break those who show it; by hand, because a hundred thousand are checked. */
function isReadable(record: LedgerRecord | undefined): record is VerdictRecord {
  if (record === undefined || !isVerdict(record)) return false;
  const { at, ms, status, decision, outcomes = [], rests = [] }: Loose<VerdictRecord> = record;
  return (
    typeof at === "number" &&
    Math.abs(at) <= LAST_DATE &&
    typeof ms === "number" &&
    isOneOf(STATUSES, status) &&
    isOneOf(DECISIONS, decision ?? "allow") &&
    hasPlainFields(record) &&
    areTexts(rests) &&
    Array.isArray(outcomes) &&
    outcomes.every(isReadableOutcome)
  );
}

function hasPlainFields(record: Loose<VerdictRecord>): boolean {
  return (
    TEXTS.every((key) => record[key] === undefined || typeof record[key] === "string") &&
    COUNTS.every((key) => record[key] === undefined || Number.isSafeInteger(record[key]))
  );
}

type Loose<T> = { readonly [key in keyof T]?: unknown };

/** The largest number that is a date. */
const LAST_DATE = 8.64e15;
const TEXTS = [
  ...(["door", "host", "session", "worktree", "reason", "branch"] as const),
  ...(["commit", "tree", "sizes", "base", "gates", "environment", "version", "prev"] as const),
];
const COUNTS = ["run", "left"] as const;
const DECISIONS = ["allow", "block"];

function isReadableOutcome(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { id, kind, ms, flaky = [] }: Loose<RecordedOutcome> = value;
  return typeof id === "string" && isOneOf(OUTCOME_KINDS, kind) && typeof ms === "number" && areTexts(flaky);
}

function isOneOf(known: readonly string[], value: unknown): boolean {
  return typeof value === "string" && known.includes(value);
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Enough to tell our own line from another; the chain tells whether it is as it was written. */
function parseLine(line: string): LedgerRecord | undefined {
  const value = parseJson(line);
  const isOurs = typeof value === "object" && value !== null && "at" in value && "prev" in value;
  return isOurs ? (value as LedgerRecord) : undefined; // we wrote it, or the chain is broken
}

/** Where the chain is broken: the first line that does not follow the one before it, or the end. */
export interface BrokenChain {
  readonly line: number;
  readonly why: string;
}

/** Follows the chain, from a certain verdict on where one is given: what is before it says nothing about it. */
export function findBreak(ledger: LedgerLines, since?: VerdictRecord): BrokenChain | undefined {
  const { lines, headHash } = ledger;
  const start = since === undefined ? 0 : lines.findLastIndex((line) => isLineOf(since, line));
  for (let at = Math.max(0, start); at < lines.length; at++) {
    const why = at === start && at > 0 ? undefined : whyUnfit(ledger, at);
    if (why !== undefined) return { line: at + 1, why };
  }
  const last = lines.at(-1);
  const isEnd = last === undefined ? headHash === undefined : hashOf(last) === headHash;
  if (isEnd) return undefined;
  const why = headHash === undefined ? "the record of the last line is missing" : CUT;
  return { line: lines.length, why };
}

function isLineOf({ at, prev }: VerdictRecord, line: string): boolean {
  return line.includes(`"at":${at},`) && line.endsWith(`"prev":"${prev}"}`);
}

const CUT = "it is not the last line that was written: lines after it are missing, or it was changed";

function whyUnfit({ lines, older }: LedgerLines, at: number): string | undefined {
  const line = lines[at] ?? "";
  const isNext = at > 0 && line.endsWith(`"prev":"${hashOf(lines[at - 1] ?? "")}"}`);
  if (isNext && line.startsWith("{")) return undefined; // what is between, the hash in the next line speaks for
  const record = parseLine(line);
  if (record === undefined) return "it cannot be read";
  if (at > 0)
    return "it does not follow the line before it: one of them was changed, or lines between them are missing";
  const isFirst = isVerdict(record) ? record.prev === "" : older > 0;
  return isFirst ? undefined : "lines before it are missing";
}

export interface KnownLedger {
  readonly key: string;
  readonly ledger: Ledger;
  readonly root?: string;
}

export function listLedgers(env: Environment): readonly KnownLedger[] {
  const directory = join(stateHome(env), "projects");
  return namesIn(directory).flatMap((key) => {
    const ledger = ledgerIn(join(directory, key), env);
    if (modifiedAt(ledger.file) === undefined) return [];
    const root = readText(join(ledger.directory, "root"));
    return [{ key, ledger, root: root.ok ? root.value : undefined }];
  });
}
