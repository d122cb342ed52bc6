import { statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { SessionRecord } from "../../core/session-record.ts";
import { discard, makePrivateDirectory, namesIn } from "../files/files.ts";
import { stateHome } from "../files/xdg.ts";
import type { Environment } from "../process/environment.ts";
import { jsonFile } from "./json-file.ts";
import { type SessionName, sessionKey, sha256 } from "./session-key.ts";

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const file = jsonFile<SessionRecord>(
  1,
  z.looseObject({
    root: z.optional(z.string()),
    gates: z.optional(z.looseObject({ root: z.string(), hash: z.string() })),
    told: z.array(z.string()),
    blocked: z.optional(
      z.looseObject({ whenActive: z.enum(["allow", "enforce"]), root: z.string(), attempts: z.int() }),
    ),
    lastStop: z.optional(
      z
        .looseObject({ at: z.number() })
        .check(z.refine(({ event, verdict, answer }) => [event, verdict, answer].every(isObject))),
    ),
  }) as never, // the rest is as we wrote it
);

const KEPT_SESSIONS = 100;

/** What is known of a session, outside any project; absent when it is new or its file cannot be trusted. */
export function readSessionRecord(name: SessionName, env: Environment): SessionRecord | undefined {
  const directory = directoryOf(env);
  return namesIn(directory).length === 0 ? undefined : file.read(fileOf(name, directory)).value;
}

/** A record that cannot be written costs only what later stops would have known. */
export function writeSessionRecord(name: SessionName, record: SessionRecord, env: Environment): void {
  const directory = directoryOf(env);
  try {
    makePrivateDirectory(directory);
  } catch {
    return;
  }
  file.write(fileOf(name, directory), record);
  forgetOldest(directory);
}

/** Every session, the one that stopped last first. */
export function listSessionRecords(env: Environment): readonly SessionRecord[] {
  const directory = directoryOf(env);
  return recordsIn(directory)
    .flatMap((name) => file.read(join(directory, name)).value ?? [])
    .toSorted((one, other) => (other.lastStop?.at ?? 0) - (one.lastStop?.at ?? 0));
}

/** Writes the records anew for which `change` has something else. */
export function changeSessions(
  env: Environment,
  change: (record: SessionRecord) => SessionRecord | undefined,
): void {
  const directory = directoryOf(env);
  for (const name of recordsIn(directory)) {
    const record = file.read(join(directory, name)).value;
    const changed = record && change(record);
    if (changed !== undefined) file.write(join(directory, name), changed);
  }
}

/** Starting over in a project gives its sessions their budgets back. */
export function forgetBlocksIn(root: string, env: Environment): void {
  const directory = directoryOf(env);
  for (const name of recordsIn(directory)) {
    const { blocked, ...record } = file.read(join(directory, name)).value ?? { told: [] };
    if (blocked?.root === root) file.write(join(directory, name), record);
  }
}

/** At the end of a session: its own block, and those of its sub-agents, teammates and tasks. */
export function forgetBlocksOf(name: SessionName, env: Environment): void {
  const directory = directoryOf(env);
  const { sessionId } = name;
  for (const one of recordsIn(directory)) {
    const path = join(directory, one);
    const { blocked, ...record } = file.read(path).value ?? { told: [] };
    const isPart = sessionId !== undefined && blocked?.session?.startsWith(`${sessionId}.`) === true;
    if (blocked !== undefined && (isPart || path === fileOf(name, directory))) file.write(path, record);
  }
}

function forgetOldest(directory: string): void {
  const names = recordsIn(directory);
  if (names.length <= KEPT_SESSIONS) return;
  const byAge = names
    .map((name) => ({ name, at: statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((one, other) => other.at - one.at);
  for (const { name } of byAge.slice(KEPT_SESSIONS / 2)) discard(join(directory, name));
}

function recordsIn(directory: string): readonly string[] {
  return namesIn(directory).filter((name) => name.endsWith(".json"));
}

function directoryOf(env: Environment): string {
  return join(stateHome(env), "sessions");
}

function fileOf(name: SessionName, directory: string): string {
  return join(directory, `${sha256(sessionKey(name, name.cwd))}.json`);
}
