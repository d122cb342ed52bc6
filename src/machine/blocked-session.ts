import { renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { StopEvent } from "../core/stop-event.ts";
import { now } from "./clock.ts";
import { namesIn } from "./names-in.ts";
import { makePrivateDirectory } from "./private-directory.ts";
import { readSmallFile } from "./read-small-file.ts";
import { sessionKey, sha256 } from "./session-key.ts";
import { discard } from "./discard.ts";
import { stateHome } from "./state-home.ts";

/**
 * What a stop that was blocked leaves for the next one, outside any project: with the host's flag set nothing else is
 * read, not even the configuration.
 */
export interface BlockedSession {
  readonly blockedAt: number;
  readonly whenActive: "allow" | "enforce";
  readonly root: string;
  /** The attempts spent on this prompt: an agent that removes the log directory gets no new budget by it. */
  readonly attempts: number;
  readonly promptId?: string | undefined;
  /** The host's name of the session, or of a part of it. */
  readonly session?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const VERSION = 1;

/** Absent when this session was not blocked, and when the file cannot be trusted. */
export function readBlockedSession(event: StopEvent, env: Environment): BlockedSession | undefined {
  return isNoneBlocked(env) ? undefined : readBlock(fileOf(event, env));
}

function readBlock(path: string): BlockedSession | undefined {
  try {
    const value: unknown = JSON.parse(readSmallFile(path));
    return isBlockedSession(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A file that cannot be written only means that the next stop is let through without a word. */
export function rememberBlock(
  event: StopEvent,
  env: Environment,
  block: Omit<BlockedSession, "blockedAt">,
): void {
  const path = fileOf(event, env);
  try {
    makePrivateDirectory(dirname(path));
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, JSON.stringify({ version: VERSION, blockedAt: now(), ...block }), { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    discard(path);
  }
}

export function forgetBlock(event: StopEvent, env: Environment): void {
  if (!isNoneBlocked(env)) discard(fileOf(event, env));
}

/** At the end of a session: its own record, and those of its sub-agents, teammates and tasks. */
export function forgetBlocksOf(event: StopEvent, env: Environment): void {
  forgetBlock(event, env);
  for (const name of namesIn(directoryOf(env))) {
    const path = join(directoryOf(env), name);
    if (event.sessionId !== undefined && readBlock(path)?.session?.startsWith(`${event.sessionId}.`))
      discard(path);
  }
}

/** Starting over in a project gives its sessions their budgets back. */
export function forgetBlocksIn(root: string, env: Environment): void {
  for (const name of namesIn(directoryOf(env))) {
    const path = join(directoryOf(env), name);
    if (readBlock(path)?.root === root) discard(path);
  }
}

/** Most of the time there is no file at all, and then its name need not be worked out. */
function isNoneBlocked(env: Environment): boolean {
  return namesIn(directoryOf(env)).length === 0;
}

function directoryOf(env: Environment): string {
  return join(stateHome(env), "sessions");
}

function fileOf(event: StopEvent, env: Environment): string {
  return join(directoryOf(env), `${sha256(sessionKey(event, event.cwd))}.json`);
}

function isBlockedSession(value: unknown): value is BlockedSession {
  if (typeof value !== "object" || value === null) return false;
  const { version, blockedAt, whenActive, root, attempts, session = "" } = value as Record<string, unknown>; // checked right here
  const isKnownMode = whenActive === "allow" || whenActive === "enforce";
  const isCounted = Number.isInteger(attempts) && typeof blockedAt === "number";
  const isNamed = typeof root === "string" && typeof session === "string";
  return version === VERSION && isCounted && isKnownMode && isNamed;
}
