import { join } from "node:path";
import { isCount, isFlag, isNumber, isText, isTime, listOf, mapOf, objectOf, oneOf } from "../shape.ts";
import { ok, type Result } from "../trouble.ts";
import { hasCode } from "../system/files/errno.ts";
import {
  discard,
  discardOldDrafts,
  isFile,
  makePrivateDirectory,
  namesIn,
  oldestOf,
  troubleOf,
} from "../system/files/files.ts";
import { stateHome } from "../system/files/xdg.ts";
import { type LogDir, prepareLogDir } from "../system/logs/log-dir.ts";
import type { Environment } from "../system/process/environment.ts";
import { jsonFile, type Stored } from "../system/state/json-file.ts";
import { whileLocked } from "../system/state/short-lock.ts";
import type { SessionName } from "../system/state/state-keys.ts";
import { NEW_SESSION, type Session, type SessionChange } from "./session.ts";

const isGateRef = objectOf({ kind: oneOf("check", "review", "repl"), scope: isText, name: isText });

const isRetryState = objectOf(
  {
    attempts: isCount,
    openFailures: listOf(objectOf({ gate: isGateRef, runNumber: isCount }, { files: listOf(isText) })),
    told: mapOf(objectOf({ essence: isText, problems: listOf(isText) }, { since: isText })),
  },
  {
    promptId: isText,
    blocks: isCount,
    sameFor: isCount,
    openGuards: listOf(objectOf({ id: isText, runNumber: isCount })),
    unavailableBlocks: isCount,
    missing: listOf(isText),
    gaveUpOn: isText,
    deferredFor: isText,
  },
);

const isStart = objectOf(
  { root: isText, at: isTime },
  {
    head: isText,
    tree: isText,
    gates: isText,
    hooks: listOf(isText),
    ignoreSettings: listOf(objectOf({ path: isText, stamp: isText, hash: isText })),
    environment: isText,
    ignoreFiles: listOf(isText),
    gitVariables: isText,
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

const sessionFile = jsonFile<Session>(
  2,
  objectOf(
    { shown: listOf(isText) },
    {
      root: isText,
      starts: listOf(isStart),
      cleaned: isNumber,
      asked: objectOf({}, { skip: isText, accept: isText }),
      acceptsTests: isFlag,
      acceptedFiles: listOf(isText),
      lasting: listOf(objectOf({ root: isText, key: isText })),
      held: objectOf({ root: isText, changes: listOf(isText), blocks: isCount }, { promptId: isText }),
      blocked: objectOf(
        { whenActive: oneOf("allow", "enforce"), root: isText },
        { promptId: isText, session: isText },
      ),
      isEnforced: isFlag,
      lastStop: isStop,
      prompt: objectOf({ at: isTime, root: isText }, { id: isText, transcriptPath: isText }),
      unheard: listOf(objectOf({ at: isTime, root: isText, why: isText }, { id: isText })),
      switchedOff: listOf(
        objectOf({ key: isText, text: isText, undo: isText, state: oneOf("told", "refused", "accepted") }),
      ),
      retries: mapOf(isRetryState),
    },
  ),
);

/** A session in the user's state directory, which the agent does not work in; absent if it is new or its file cannot be trusted. */
export function readSession(name: SessionName, env: Environment): Stored<Session | undefined> {
  const directory = directoryOf(env);
  const { value, warning } = sessionFile.read(join(directory, fileOf(name)));
  const isThere = warning !== undefined && namesIn(directory).length > 0; // a directory that cannot be used holds none
  return isThere ? { value, warning } : { value };
}

/** Applies a change to what is stored now: two hooks, a prompt and a command may all write the same session. */
export function updateSession(name: SessionName, env: Environment, change: SessionChange): Result<Session> {
  const directory = directoryOf(env);
  const path = join(directory, fileOf(name));
  const isNew = !isFile(path);
  try {
    if (isNew) makePrivateDirectory(directory);
  } catch (error) {
    return troubleOf("write", path, error);
  }
  const updated = whileNobodyWrites(directory, () => updateFile(path, change));
  if (isNew) forgetOldest(directory);
  return updated;
}

function updateFile(path: string, change: SessionChange): Result<Session> {
  const session = change(sessionFile.read(path).value ?? NEW_SESSION);
  const written = sessionFile.write(path, session);
  return written.ok ? ok(session) : written;
}

/** One lock for all sessions, held for the time of one write. Without it a change is still better made than not. */
function whileNobodyWrites<T>(directory: string, work: () => T): T {
  let done: { readonly value: T } | undefined;
  try {
    whileLocked(join(directory, ".lock"), () => {
      done = { value: work() };
    });
  } catch (error) {
    if (!hasCode(error)) throw error; // a directory that cannot be written to
  }
  return done === undefined ? work() : done.value;
}

export interface ListedSession {
  /** What its file is named by: the host's id of it, if that is harmless. */
  readonly id: string;
  readonly session: Session;
}

/** Every session, the one that stopped last first. */
export function listSessions(env: Environment): readonly ListedSession[] {
  const directory = directoryOf(env);
  return recordsIn(directory)
    .flatMap((name) => {
      const session = sessionFile.read(join(directory, name)).value;
      return session === undefined ? [] : [{ id: name.slice(PREFIX.length, -SUFFIX.length), session }];
    })
    .toSorted((one, other) => (other.session.lastStop?.at ?? 0) - (one.session.lastStop?.at ?? 0));
}

/** Changes every session for which `change` returns another one, and removes those it is done with. */
export function updateSessions(
  env: Environment,
  change: (session: Session, id: string) => Session | "gone" | undefined,
): void {
  const directory = directoryOf(env);
  const names = recordsIn(directory);
  if (names.length === 0) return;
  whileNobodyWrites(directory, () => {
    for (const name of names) {
      const path = join(directory, name);
      const session = sessionFile.read(path).value;
      const changed = session && change(session, name.slice(PREFIX.length, -SUFFIX.length));
      if (changed === "gone") discard(path);
      else if (changed !== undefined) sessionFile.write(path, changed);
    }
  });
}

/** At the end of a session: its own block, and those of its sub-agents, teammates and tasks. */
export function forgetBlocksOf(name: SessionName, env: Environment): void {
  const own = idOf(name);
  const { sessionId } = name;
  updateSessions(env, (session, id) => {
    const { blocked, ...rest } = session;
    if (blocked === undefined) return undefined;
    const isPart = sessionId !== undefined && blocked.session?.startsWith(`${sessionId}.`) === true;
    return isPart || id === own ? rest : undefined;
  });
}

/** What a run of the command line goes by in a project: it has a budget and open failures of its own. */
export function commandLineSession(root: string): SessionName {
  return { sessionId: `${COMMAND_LINE}-${fnv1a(root)}`, cwd: root };
}

/** How a session is named to people and programs: all manual runs of a project alike. */
export function shownId(id: string): string {
  return id.startsWith(`${COMMAND_LINE}-`) ? COMMAND_LINE : id;
}

export const COMMAND_LINE = "command-line";

/**
 * Where a session is kept if nothing can be written in the state directory: with the logs, so that blocks are still counted and still
 * end. What lies there counts only then, because the agent can write it.
 */
export function readFallback(name: SessionName, env: Environment, logDir: LogDir): Session | undefined {
  const path = join(logDir.stateDir, fileOf(name));
  if (!isFile(path)) return undefined;
  const isWritable = updateSession(name, env, (session) => session).ok;
  if (!isWritable) return sessionFile.read(path).value;
  discard(path);
  return undefined;
}

export function updateFallback(name: SessionName, logDir: LogDir, change: SessionChange): Result<Session> {
  const prepared = prepareLogDir(logDir);
  return prepared.ok ? updateFile(join(logDir.stateDir, fileOf(name)), change) : prepared;
}

const KEPT_SESSIONS = 100;

function forgetOldest(directory: string): void {
  const all = namesIn(directory);
  discardOldDrafts(directory, all);
  const names = all.filter(isRecord);
  if (names.length <= KEPT_SESSIONS) return;
  for (const name of oldestOf(directory, names, KEPT_SESSIONS / 2)) discard(join(directory, name));
}

function recordsIn(directory: string): readonly string[] {
  return namesIn(directory).filter(isRecord);
}

const PREFIX = "session-";
const SUFFIX = ".json";

function isRecord(name: string): boolean {
  return name.startsWith(PREFIX) && name.endsWith(SUFFIX);
}

function directoryOf(env: Environment): string {
  return join(stateHome(env), "sessions");
}

function fileOf(name: SessionName): string {
  return `${PREFIX}${idOf(name)}${SUFFIX}`;
}

export function idOf({ sessionId, transcriptPath, cwd }: SessionName): string {
  const isPlain = sessionId !== undefined && /^[a-z0-9][a-z0-9-]{0,99}$/.test(sessionId);
  return isPlain ? sessionId : fnv1a(sessionId || transcriptPath || cwd);
}

/** Only tells names apart; every stop would have to load more for a better hash. */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16);
}
