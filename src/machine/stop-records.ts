import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { StopRecord } from "../core/stop-record.ts";
import { namesIn } from "./names-in.ts";
import { readSmallFile } from "./read-small-file.ts";
import { sessionKey } from "./session-key.ts";
import { discard } from "./discard.ts";
import { stateHome } from "./state-home.ts";
import { makePrivateDirectory } from "./private-directory.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const VERSION = 1;
const KEPT_RECORDS = 100;

/** Keeps the last stop of each session. A record that cannot be written is not worth a word: the answer has been given. */
export function writeStopRecord(record: StopRecord, env: Environment): void {
  const directory = directoryOf(env);
  const path = join(directory, `${sessionKey(record.event, record.event.cwd)}.json`);
  const text = JSON.stringify({ version: VERSION, ...record });
  try {
    if (overwrite(path, text)) return;
    makePrivateDirectory(directory);
    add(path, text);
    forgetOldest(directory);
  } catch {
    return;
  }
}

const IN_PLACE = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Writes over the session's last record; making a file anew would take ten times as long. Whoever reads half of it passes it over. */
function overwrite(path: string, text: string): boolean {
  const fd = openInPlace(path);
  if (fd === undefined) return false;
  try {
    if (!fstatSync(fd).isFile()) return false;
    ftruncateSync(fd, writeSync(fd, text, 0));
    return true;
  } finally {
    closeSync(fd);
  }
}

/** A link is never followed. */
function openInPlace(path: string): number | undefined {
  try {
    return existsSync(path) ? openSync(path, IN_PLACE) : undefined;
  } catch {
    return undefined;
  }
}

function add(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    discard(draft);
  }
}

/** The newest first; files that cannot be trusted are left out. */
export function readStopRecords(env: Environment): readonly StopRecord[] {
  const directory = directoryOf(env);
  return recordsIn(directory)
    .flatMap((name) => readRecord(join(directory, name)) ?? [])
    .toSorted((one, other) => other.at - one.at);
}

function directoryOf(env: Environment): string {
  return join(stateHome(env), "stops");
}

function forgetOldest(directory: string): void {
  const names = recordsIn(directory);
  if (names.length <= KEPT_RECORDS) return;
  const byAge = names
    .map((name) => ({ name, at: statSync(join(directory, name)).mtimeMs }))
    .toSorted((one, other) => other.at - one.at);
  for (const { name } of byAge.slice(KEPT_RECORDS / 2)) discard(join(directory, name));
}

function recordsIn(directory: string): readonly string[] {
  return namesIn(directory).filter((name) => name.endsWith(".json"));
}

function readRecord(path: string): StopRecord | undefined {
  try {
    const value: unknown = JSON.parse(readSmallFile(path));
    return isStopRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isStopRecord(value: unknown): value is StopRecord {
  if (typeof value !== "object" || value === null) return false;
  const { version, at, event, verdict, answer } = value as Record<string, unknown>; // checked right here
  const areObjects = [event, verdict, answer].every((part) => typeof part === "object" && part !== null);
  return version === VERSION && typeof at === "number" && areObjects;
}
