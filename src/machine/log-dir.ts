import { closeSync, openSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AbsolutePath, ProjectPath } from "../core/path.ts";
import { ok, type Result } from "../core/trouble.ts";
import { removeFile, troubleOf } from "./files.ts";

/** Where a project's runs leave their traces. */
export interface LogDir {
  readonly path: string;
  readonly stateDir: string;
  readonly lockFile: string;
}

export function logDirOf(root: AbsolutePath, logDir: ProjectPath): LogDir {
  const path = join(root, logDir);
  return { path, stateDir: join(path, ".state"), lockFile: join(path, ".gauntlet-run.lock") };
}

/** Makes the directory, and makes git ignore it: our own traces must never count as changes. */
export async function prepareLogDir(dir: LogDir): Promise<Result<void>> {
  try {
    await makeDirectory(dir.stateDir);
    await writeFile(join(dir.path, ".gitignore"), "*\n", { flag: "wx" }).catch(unlessThere);
    return ok(undefined);
  } catch (error) {
    return troubleOf("write to the log directory", dir.path, error);
  }
}

/** Of a disk that is read-only or a link that leads nowhere Node 20 tells the wrong thing; a plain try tells the truth. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch {
    await mkdir(path);
  }
}

/** One more than the highest number any log carries. */
export async function nextRunNumber(dir: LogDir, lastKnown: number): Promise<number> {
  const numbers = (await logFiles(dir)).map(({ runNumber }) => runNumber);
  return Math.max(0, lastKnown, ...numbers) + 1;
}

/** The log of one gate in one run: `check_<scope>_<name>.<N>.log`. */
export function gateLogName(gateId: string, runNumber: number): string {
  return `${plainName(gateId)}.${runNumber}.log`;
}

/** Takes the name of a gate's log so that no other gate gets it: those of `a/b` and `a_b` would be the same. */
export function takeGateLogName(dir: string, gateId: string, runNumber: number): string {
  const plain = gateLogName(gateId, runNumber);
  for (let namesake = 1; namesake < MAX_NAMESAKES; namesake++) {
    const name =
      namesake === 1 ? plain : gateLogName(`${plainName(gateId).slice(0, 170)}-${namesake}`, runNumber);
    if (!isTaken(join(dir, name))) return name;
  }
  return plain;
}

const MAX_NAMESAKES = 1_000;

function plainName(gateId: string): string {
  return gateId.replaceAll(/[^A-Za-z0-9._-]/g, "_").slice(0, 180);
}

/** Creates the file unless it is there. That it cannot be created is found out again, and told, when it is written. */
function isTaken(path: string): boolean {
  try {
    closeSync(openSync(path, "wx", 0o600));
    return false;
  } catch (error) {
    return isThere(error);
  }
}

export function consoleLogName(runNumber: number): string {
  return `console.${runNumber}.log`;
}

const KEPT_RUNS = 20;
const KEPT_BYTES = 200 * 1024 * 1024;

/** Drops the oldest runs' logs beyond the last 20 runs or 200 MB; the run just made always stays. */
export async function pruneLogs(dir: LogDir, currentRun: number): Promise<void> {
  const files = await Promise.all(
    (await logFiles(dir)).map(async (file) => ({ ...file, bytes: await sizeOf(join(dir.path, file.name)) })),
  );
  let bytes = 0;
  for (const file of files.toSorted((a, b) => b.runNumber - a.runNumber)) {
    bytes += file.bytes;
    const isCurrent = file.runNumber >= currentRun;
    const isOld = file.runNumber <= currentRun - KEPT_RUNS || bytes > KEPT_BYTES;
    if (isOld && !isCurrent) await removeFile(join(dir.path, file.name)); // one that stays is tried again
  }
}

/** Moves every log to `previous/`, whose earlier content goes; without a log to move it stays. */
export async function archiveLogs(dir: LogDir): Promise<Result<number>> {
  const previous = join(dir.path, "previous");
  const files = [...(await logFiles(dir)), ...(await reviewSheets(dir))];
  if (files.length === 0) return ok(0);
  try {
    await rm(previous, { recursive: true, force: true });
    await mkdir(previous, { recursive: true });
    for (const { name } of files) await rename(join(dir.path, name), join(previous, name));
    return ok(files.length);
  } catch (error) {
    return troubleOf("write the archived logs to", previous, error);
  }
}

/** Forgets every session but one; `work-tree.json` goes too when nothing is to be kept. */
export async function forgetState(dir: LogDir, keepSession?: string): Promise<Result<void>> {
  const kept = keepSession === undefined ? [] : ["work-tree.json", `session-${keepSession}.json`];
  try {
    const doomed = (await readdir(dir.stateDir)).filter((name) => !kept.includes(name));
    await Promise.all(doomed.map((name) => rm(join(dir.stateDir, name), { recursive: true, force: true })));
    return ok(undefined);
  } catch (error) {
    return troubleOf("write to the state directory", dir.stateDir, error);
  }
}

/** Removes what a killed run did not get to rename into place. */
export async function sweepDrafts({ stateDir }: LogDir): Promise<void> {
  const names = await readdir(stateDir).catch(() => []);
  const drafts = names.filter((name) => name.endsWith(".tmp"));
  await Promise.all(drafts.map((name) => removeFile(join(stateDir, name))));
}

interface LogFile {
  readonly name: string;
  readonly runNumber: number;
}

async function logFiles(dir: LogDir): Promise<readonly LogFile[]> {
  const names = await readdir(dir.path).catch(() => []);
  return names.flatMap((name) => {
    const number = /\.(\d{1,9})\.(?:log|json)$/.exec(name)?.[1];
    return number === undefined || name.startsWith(".") ? [] : [{ name, runNumber: Number(number) }];
  });
}

/** The files on which agents answer findings; what they say is kept in the state directory too. */
async function reviewSheets(dir: LogDir): Promise<readonly { name: string }[]> {
  const names = await readdir(dir.path).catch(() => []);
  return names.filter((name) => /^review_.*\.slot-\d+\.json$/.test(name)).map((name) => ({ name }));
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

function unlessThere(error: unknown): void {
  if (!isThere(error)) throw error;
}

function isThere(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
