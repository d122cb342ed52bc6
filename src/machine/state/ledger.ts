import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import packageJson from "../../../package.json" with { type: "json" };
import { ok, type Result } from "../../core/trouble.ts";
import type { LedgerRecord, Unchained } from "../../core/verdict-record.ts";
import { now } from "../clock.ts";
import { hasCode } from "../files/errno.ts";
import { discard, makePrivateDirectory, readSmallFile, removeTree, troubleOf } from "../files/files.ts";
import { projectStateDir, stateHome } from "../files/xdg.ts";
import { mainProject } from "../git/places.ts";
import type { Environment } from "../process/environment.ts";
import { lockBriefly } from "./brief-lock.ts";

/** Where a project's verdicts are kept, one JSON object per line: in the user's state directory, one for all its work trees. */
export interface Ledger {
  readonly directory: string;
  readonly file: string;
  /** The file before, kept until the next one is full. */
  readonly older: string;
  /** The last line and its hash, in another directory: what was cut off is missed. */
  readonly head: string;
  /** The linked work tree that was asked from. */
  readonly worktree?: string;
}

export function ledgerOf(root: string, env: Environment): Ledger {
  const { root: main, worktree } = mainProject(root);
  const ledger = ledgerIn(projectStateDir(main, env), env);
  return worktree === undefined ? ledger : { ...ledger, worktree };
}

/** For stops outside of any project. */
export function ledgerOutside(env: Environment): Ledger {
  return ledgerIn(join(stateHome(env), "projects", "outside"), env);
}

function ledgerIn(directory: string, env: Environment): Ledger {
  return {
    directory,
    file: join(directory, "ledger.jsonl"),
    older: join(directory, "ledger.old.jsonl"),
    head: join(stateHome(env), "heads", `${basename(directory)}.json`),
  };
}

/** A file this large, or this old, makes room for the next; so does the one before it, which is dropped. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
const MAX_FILE_AGE_MS = 180 * 24 * 60 * 60 * 1000;

/** The last line, written before it is appended: a writer that is killed in between has its line finished by the next. */
export interface Head {
  readonly hash: string;
  readonly line: string;
  /** Of the file, once the line is in it. */
  readonly size: number;
  /** When the file was begun. */
  readonly since: number;
  /** The line is the first of a new file; what has its name until then is the older one. */
  readonly rotates?: boolean | undefined;
}

const headSchema = z.object({
  hash: z.string(),
  line: z.string(),
  size: z.int(),
  since: z.number(),
  rotates: z.optional(z.boolean()),
});

/** Not by its date, as other state: a clock that was set back must not look like a cut. */
export function readHead({ head }: Ledger): Head | undefined {
  try {
    return headSchema.safeParse(parseJson(readSmallFile(head))).data;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function writeHead({ head: path }: Ledger, head: Head): void {
  const draft = `${path}.tmp`;
  writeFileSync(draft, JSON.stringify(head), { mode: 0o600 });
  renameSync(draft, path);
}

/** Adds a verdict at the end of the chain. Writers wait for each other, whatever work tree they are in. */
export function appendVerdict(
  ledger: Ledger,
  record: Unchained,
  maxBytes: number = MAX_FILE_BYTES,
): Result<void> {
  try {
    const locked = lockLedger(ledger);
    if (!locked.ok) return locked;
    using _lock = locked.value;
    const head = readHead(ledger);
    if (head !== undefined) finish(ledger, head);
    const isFull = head !== undefined && (head.size > maxBytes || head.since < record.at - MAX_FILE_AGE_MS);
    write(ledger, record, isFull ? rotate(ledger, head) : head);
    return ok(undefined);
  } catch (error) {
    return troubleOf("write the ledger", ledger.file, error);
  }
}

function lockLedger({ directory, head }: Ledger): ReturnType<typeof lockBriefly> {
  for (const needed of [dirname(head), directory]) makePrivateDirectory(needed);
  return lockBriefly(join(directory, ".ledger.lock"));
}

function write(ledger: Ledger, record: Unchained, before: Head | undefined): void {
  const found = sizeOf(ledger.file);
  const line = asciiJson({ ...record, prev: before?.hash ?? (found === 0 ? "" : UNKNOWN) });
  const gap = before?.size === found || found === 0 || endsWhole(ledger.file) ? "" : "\n";
  const size = found + gap.length + line.length + 1;
  writeHead(ledger, { hash: hashOf(line), line, size, since: before?.since ?? record.at });
  appendFileSync(ledger.file, `${gap}${line}\n`, { mode: 0o600 });
}

/** There are lines, but what was known about the last is gone: the chain is broken here, and must look so. */
const UNKNOWN = "unknown";

/** Puts the full file in the place of the older one and begins a new file, which names what was dropped. */
function rotate(ledger: Ledger, { hash: prev }: Head): Head {
  const at = now();
  const dropped = sizeOf(ledger.older) === 0 ? null : hashOf(readFileSync(ledger.older));
  const line = asciiJson({ at, dropped, version: packageJson.version, prev } satisfies LedgerRecord);
  const head: Head = { hash: hashOf(line), line, size: line.length + 1, since: at, rotates: true };
  writeHead(ledger, head);
  finish(ledger, head);
  return head;
}

/** Does what a killed writer had left to do. A file that is not as any writer left it is not mended: the chain tells. */
function finish(ledger: Ledger, { line, size, rotates }: Head): void {
  const found = sizeOf(ledger.file);
  if (found === size) return;
  if (rotates && !line.startsWith(firstBytes(ledger.file, size))) renameSync(ledger.file, ledger.older);
  const before = size - line.length - 1;
  const isUnfinished = rotates || (found >= before && found < size);
  if (!isUnfinished) return;
  if (found > 0 && !rotates) truncateSync(ledger.file, before);
  appendFileSync(ledger.file, `${line}\n`, { mode: 0o600, flag: rotates ? "w" : "a" });
}

/** Somebody may have left a line without an end, and the next must not run into it. */
function endsWhole(file: string): boolean {
  return readFileSync(file, "latin1").endsWith("\n");
}

function firstBytes(file: string, count: number): string {
  if (sizeOf(file) === 0) return "";
  const fd = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(count);
    return bytes.toString("latin1", 0, readSync(fd, bytes, 0, count, 0));
  } finally {
    closeSync(fd);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** One byte per character, so that lengths are sizes and reading is quick. */
function asciiJson(record: LedgerRecord): string {
  return JSON.stringify(record).replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function hashOf(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("base64url");
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Removes all that is kept about a project outside of it. */
export function forgetProject({ directory, head }: Ledger): Result<void> {
  try {
    discard(head);
    if (statSync(directory, { throwIfNoEntry: false }) !== undefined) removeTree(directory);
    return ok(undefined);
  } catch (error) {
    return troubleOf("remove", directory, error);
  }
}
