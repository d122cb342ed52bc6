import { parseJson } from "../json.ts";
import {
  closeSync,
  constants,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256 } from "#runtime";
import packageJson from "../../package.json" with { type: "json" };
import { ok, type Result } from "../trouble.ts";
import type { LedgerRecord, Unchained } from "./verdict-record.ts";
import { now } from "../system/clock.ts";
import { hasCode } from "../system/files/errno.ts";
import {
  discard,
  makePrivateDirectory,
  NEVER_WAIT,
  readSmallFile,
  removeTree,
  troubleOf,
} from "../system/files/files.ts";
import { stateHome } from "../system/files/xdg.ts";
import { mainProject } from "../system/git/places.ts";
import type { Environment } from "../system/process/environment.ts";
import { whileLocked } from "../system/state/short-lock.ts";
import { projectStateDir } from "../system/state/state-keys.ts";

/** Where a project's verdicts are kept, one JSON object per line: in the user's state directory, one for all its work trees. */
export interface Ledger {
  readonly directory: string;
  readonly file: string;
  readonly lock: string;
  /** The file before, kept until the next one is full. */
  readonly older: string;
  /** The last line and its hash, in another directory: what was cut off is missed. Written in turn, so that one is always whole. */
  readonly heads: readonly [string, string];
  /** The project in the main work tree; its directory has only a hash of it. */
  readonly root?: string;
  /** The linked work tree that was asked from. */
  readonly worktree?: string;
}

export function ledgerOf(root: string, env: Environment): Ledger {
  const { root: main, worktree } = mainProject(root);
  const ledger = { ...ledgerIn(projectStateDir(main, env), env), root: main };
  return worktree === undefined ? ledger : { ...ledger, worktree };
}

export function ledgerIn(directory: string, env: Environment): Ledger {
  const headIn = (turn: string): string =>
    join(stateHome(env), "heads", `${basename(directory)}.${turn}.json`);
  return {
    directory,
    file: join(directory, "ledger.jsonl"),
    lock: join(directory, ".ledger.lock"),
    older: join(directory, "ledger.old.jsonl"),
    heads: [headIn("0"), headIn("1")],
  };
}

/** A file this large, or this old, makes room for the next; so does the one before it, which is dropped. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
const MAX_FILE_AGE_MS = 180 * 24 * 60 * 60 * 1000;

/** The last line, written before it is appended: a writer that is killed in between has its line finished by the next. */
export interface Head {
  /** How many were written before it, which decides between the two. */
  readonly count: number;
  readonly hash: string;
  readonly line: string;
  readonly size: number;
  readonly since: number;
  /** The line is the first of a new file; what has its name until then is the older one. */
  readonly rotates?: boolean | undefined;
}

/** By hand: loading and warming a schema would take longer than all the rest. */
function isHead(value: unknown): value is Head {
  if (typeof value !== "object" || value === null) return false;
  const { count, hash, line, size, since, rotates = false }: Partial<Record<keyof Head, unknown>> = value;
  const isCounted = Number.isSafeInteger(count) && Number.isSafeInteger(size) && typeof since === "number";
  return isCounted && typeof hash === "string" && typeof line === "string" && typeof rotates === "boolean";
}

/** The newer of the two that is whole. Its date does not matter, as in other state: a clock that was set back must not look like a cut. */
export function readHead({ heads }: Ledger): Head | undefined {
  const one = readOneHead(heads[0]);
  const other = readOneHead(heads[1]);
  const isOneNewer = (one?.count ?? 0) > (other?.count ?? 0);
  return isOneNewer ? (whole(one) ?? whole(other)) : (whole(other) ?? whole(one));
}

function whole(head: Head | undefined): Head | undefined {
  return head !== undefined && hashOf(head.line) === head.hash ? head : undefined;
}

/** What follows its first line is left of longer ones. */
function readOneHead(path: string): Head | undefined {
  try {
    const text = readSmallFile(path);
    const head = parseJson(text.slice(0, text.indexOf("\n")));
    return isHead(head) ? head : undefined;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

const WRITE = constants.O_WRONLY | constants.O_CREAT | NEVER_WAIT;

/** In place: to make a new file, or to cut one to length, takes file systems longer than all the rest. */
function writeHead({ heads }: Ledger, head: Head): void {
  writeText(heads[head.count % 2 === 0 ? 0 : 1], `${JSON.stringify(head)}\n`);
}

/** What a full disk leaves unwritten is finished by the next writer, like the line of one that was killed: until then nothing may follow it. */
function writeText(file: string, text: string, how = 0): void {
  const fd = openSync(file, WRITE | how, 0o600);
  try {
    for (let written = 0; written < text.length;) written += writeSync(fd, text.slice(written)); // ASCII; a full disk takes a part, then throws
  } finally {
    closeSync(fd);
  }
}

/** Adds a verdict at the end of the chain. Writers wait for each other, whatever work tree they are in. */
export function appendVerdict(
  ledger: Ledger,
  record: Unchained,
  maxBytes: number = MAX_FILE_BYTES,
): Result<void> {
  const append = (): void => appendLocked(ledger, record, maxBytes);
  try {
    return whileLocked(ledger.lock, append);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) return troubleOf("write the ledger", ledger.file, error);
    return appendFirst(ledger, append);
  }
}

/** Makes the directories, which all but the first verdict find. */
function appendFirst(ledger: Ledger, append: () => void): Result<void> {
  try {
    for (const directory of [ledger.directory, dirname(ledger.heads[0])]) makePrivateDirectory(directory);
    return whileLocked(ledger.lock, append);
  } catch (error) {
    return troubleOf("write the ledger", ledger.file, error);
  }
}

function appendLocked(ledger: Ledger, record: Unchained, maxBytes: number): void {
  const head = readHead(ledger);
  const size = sizeOf(ledger.file);
  const found = head === undefined || head.size === size ? size : finish(ledger, head, size);
  const isFull = head !== undefined && (head.size > maxBytes || head.since < record.at - MAX_FILE_AGE_MS);
  const next = isFull ? rotate(ledger, head) : undefined;
  write(ledger, record, { before: next ?? head, found: next?.size ?? found });
}

function write(
  ledger: Ledger,
  record: Unchained,
  { before, found }: { readonly before: Head | undefined; readonly found: number },
): void {
  if (before === undefined && ledger.root !== undefined)
    writeFileSync(join(ledger.directory, "root"), ledger.root, { mode: 0o600 });
  const line = asciiJson({ ...record, prev: before?.hash ?? (found === 0 ? "" : UNKNOWN) });
  const gap = before?.size === found || found === 0 || endsWhole(ledger.file) ? "" : "\n";
  const size = found + gap.length + line.length + 1;
  const since = before?.since ?? record.at;
  writeHead(ledger, { count: (before?.count ?? 0) + 1, hash: hashOf(line), line, size, since });
  writeText(ledger.file, `${gap}${line}\n`, constants.O_APPEND);
}

/** There are lines, but what was known about the last is gone: the chain is broken here, and must look so. */
const UNKNOWN = "unknown";

/** Puts the full file in the place of the older one and begins a new file, which names what was dropped. */
function rotate(ledger: Ledger, { hash: prev, count }: Head): Head {
  const at = now();
  const dropped = sizeOf(ledger.older) === 0 ? null : hashOf(readFileSync(ledger.older));
  const line = asciiJson({ at, dropped, version: packageJson.version, prev } satisfies LedgerRecord);
  const size = line.length + 1;
  const head: Head = { count: count + 1, hash: hashOf(line), line, size, since: at, rotates: true };
  writeHead(ledger, head);
  finish(ledger, head, sizeOf(ledger.file));
  return head;
}

/** Does what a killed writer had left to do, and returns the file's size. A file that is not as any writer left it is not mended: the chain tells. */
function finish(ledger: Ledger, { line, size, rotates }: Head, found: number): number {
  if (rotates && !line.startsWith(firstBytes(ledger.file, size))) renameSync(ledger.file, ledger.older);
  const before = size - line.length - 1;
  const isUnfinished = rotates || (found >= before && found < size);
  if (!isUnfinished) return found;
  if (found > 0 && !rotates) truncateSync(ledger.file, before);
  writeText(ledger.file, `${line}\n`, rotates ? constants.O_TRUNC : constants.O_APPEND);
  return size;
}

/** The last line may be unfinished, and the next must not run into it. */
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
  const json = JSON.stringify(record);
  if (Buffer.from(json).length === json.length) return json; // nearly always, and quicker than a regular expression
  return json.replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function hashOf(content: string | Buffer): string {
  return sha256(content, "base64url");
}

/** Removes the ledger, and with it all that is kept about the project in the same directory. */
export function forgetLedger({ directory, heads }: Ledger): Result<void> {
  try {
    heads.forEach(discard);
    removeTree(directory);
    return ok(undefined);
  } catch (error) {
    return troubleOf("remove", directory, error);
  }
}
