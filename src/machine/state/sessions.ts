import { statSync } from "node:fs";
import { join } from "node:path";
import type { SessionRecord } from "../../core/record/session-record.ts";
import { isCount, isFlag, isNumber, isText, isTime, listOf, objectOf, oneOf } from "../../core/shape.ts";
import {
  discard,
  discardOldDrafts,
  isFile,
  makePrivateDirectory,
  namesIn,
  readText,
} from "../files/files.ts";
import { stateHome } from "../files/xdg.ts";
import type { Environment } from "../process/environment.ts";
import { jsonFile, type Stored } from "./json-file.ts";
import type { SessionName } from "./state-keys.ts";

const isStart = objectOf(
  { root: isText, at: isTime },
  {
    head: isText,
    tree: isText,
    gates: isText,
    hooks: listOf(isText),
    overlooking: listOf(objectOf({ path: isText, stamp: isText, hash: isText })),
  },
);

const isEvent = objectOf(
  { host: isText, cwd: isText, continued: isFlag, backgroundTasks: listOf(objectOf({ kind: isText })) },
  {
    kind: isText,
    agentType: isText,
    hostVersion: isText,
    sessionId: isText,
    promptId: isText,
    permissionMode: isText,
  },
);

const areReasoned = listOf(objectOf({ id: isText, why: isText }));

const isRun = objectOf(
  { files: listOf(isText), planned: areReasoned, skipped: areReasoned, outcomes: areReasoned },
  { number: isNumber, comparedTo: isText, attemptsLeft: isNumber, consoleLogPath: isText },
);

const isStop = objectOf(
  {
    at: isTime,
    door: isText,
    event: isEvent,
    verdict: objectOf(
      { decision: oneOf("allow", "block"), status: isText, message: isText },
      { notice: isText, wholeNotice: isText },
    ),
    answer: objectOf({ stdout: isText, exitCode: isNumber }),
  },
  { run: isRun },
);

/** How one is stored. */
export const sessionFile = jsonFile<SessionRecord>(
  1,
  objectOf(
    { told: listOf(isText) },
    {
      root: isText,
      starts: listOf(isStart),
      cleaned: isNumber,
      asked: objectOf({}, { skip: isText, accept: isText }),
      blocked: objectOf(
        { whenActive: oneOf("allow", "enforce"), root: isText, attempts: isCount },
        { promptId: isText, session: isText },
      ),
      isEnforced: isFlag,
      kept: objectOf(
        { root: isText, digest: isText, attempts: isNumber, open: isNumber },
        { logDir: isText, next: isText },
      ),
      lastStop: isStop,
    },
  ),
);

const KEPT_SESSIONS = 100;

/** What is known of a session, outside any project; absent when it is new or its file cannot be trusted. */
export function readSessionRecord(name: SessionName, env: Environment): SessionRecord | undefined {
  return findSessionRecord(name, env).value;
}

/** The same, with a warning where there is a file that cannot be trusted. */
export function findSessionRecord(name: SessionName, env: Environment): Stored<SessionRecord | undefined> {
  const directory = directoryOf(env);
  const { value, warning } = sessionFile.read(fileOf(name, directory));
  const isThere = warning !== undefined && namesIn(directory).length > 0; // a state directory that cannot be used holds none
  return isThere ? { value, warning } : { value };
}

/** False where it cannot be written, which costs only what later stops would have known. */
export function writeSessionRecord(name: SessionName, record: SessionRecord, env: Environment): boolean {
  const directory = directoryOf(env);
  const path = fileOf(name, directory);
  const isNew = !isFile(path);
  try {
    if (isNew) makePrivateDirectory(directory);
  } catch {
    return false;
  }
  const written = sessionFile.write(path, record);
  if (isNew) forgetOldest(directory);
  return written.ok;
}

/** Every session, the one that stopped last first. */
export function listSessionRecords(env: Environment): readonly SessionRecord[] {
  return sessionPaths(env)
    .flatMap((path) => sessionFile.read(path).value ?? [])
    .toSorted((one, other) => (other.lastStop?.at ?? 0) - (one.lastStop?.at ?? 0));
}

/** Those of the settings files that no longer have the hook a session began with. */
export function unhookedFiles(files: readonly string[]): readonly string[] {
  return files.filter((path) => !startsUs(path));
}

/** Whether an agent that reads this settings file runs our stop hook. */
export function startsUs(path: string): boolean {
  const text = readText(path);
  return text.ok && /\bstop-hook\b/.test(text.value) && !/"disableAllHooks"\s*:\s*true/.test(text.value);
}

/** At the end of a session: its own block, and those of its sub-agents, teammates and tasks. */
export function forgetBlocksOf(name: SessionName, env: Environment): void {
  const directory = directoryOf(env);
  const { sessionId } = name;
  for (const one of recordsIn(directory)) {
    const path = join(directory, one);
    const { blocked, ...record } = sessionFile.read(path).value ?? { told: [] };
    const isPart = sessionId !== undefined && blocked?.session?.startsWith(`${sessionId}.`) === true;
    if (blocked !== undefined && (isPart || path === fileOf(name, directory)))
      sessionFile.write(path, record);
  }
}

function forgetOldest(directory: string): void {
  const all = namesIn(directory);
  discardOldDrafts(directory, all);
  const names = all.filter(isRecord);
  if (names.length <= KEPT_SESSIONS) return;
  const byAge = names
    .map((name) => ({ name, at: statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((one, other) => other.at - one.at);
  for (const { name } of byAge.slice(KEPT_SESSIONS / 2)) discard(join(directory, name));
}

/** Where each session is recorded. */
export function sessionPaths(env: Environment): readonly string[] {
  const directory = directoryOf(env);
  return recordsIn(directory).map((name) => join(directory, name));
}

function recordsIn(directory: string): readonly string[] {
  return namesIn(directory).filter(isRecord);
}

function isRecord(name: string): boolean {
  return name.endsWith(".json");
}

function directoryOf(env: Environment): string {
  return join(stateHome(env), "sessions");
}

function fileOf(name: SessionName, directory: string): string {
  const { sessionId, transcriptPath, cwd } = name;
  const isPlain = sessionId !== undefined && /^[a-z0-9][a-z0-9-]{0,99}$/.test(sessionId);
  return join(directory, `session-${isPlain ? sessionId : fnv1a(sessionId || transcriptPath || cwd)}.json`);
}

/** Only tells names apart, and every stop would have to load more for a better hash. */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16);
}
