import { hasCode } from "../files/errno.ts";
import {
  mkdirSync,
  openSync,
  promises, // `node:fs/promises` would be one more module to load
  readdirSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { AbsolutePath, ProjectPath } from "../../path.ts";
import { fail, ok, type Result } from "../../trouble.ts";
import { factsOf, modifiedAt, removeFile, troubleOf, namesIn, removeTree } from "../files/files.ts";

export interface LogDir {
  readonly root: string;
  readonly path: string;
  readonly stateDir: string;
  readonly lockFile: string;
}

export function logDirOf(root: AbsolutePath, logDir: ProjectPath): LogDir {
  const path = join(root, logDir);
  return { root, path, stateDir: join(path, ".state"), lockFile: join(path, ".gauntlet-run.lock") };
}

/** git must ignore it: our own logs must never count as changes. */
export function prepareLogDir(dir: LogDir): Result<void> {
  const real = hasNoLinks(dir);
  if (!real.ok) return real;
  try {
    makeDirectory(dir.stateDir);
    ignoreOurselves(join(dir.path, ".gitignore"));
    return ok(undefined);
  } catch (error) {
    return troubleOf("write to the log directory", dir.path, error);
  }
}

/** A link in the place of a directory would lead to files that are not ours. */
export function hasNoLinks(dir: LogDir): Result<void> {
  const link = directoriesOf(dir).find((path) => factsOf(path)?.isSymbolicLink());
  if (link === undefined) return ok(undefined);
  const detail = "it is a symbolic link, and nothing is written or removed through one";
  return fail({ kind: "file-failed", action: "use the log directory", path: link, detail });
}

function directoriesOf({ root, path, stateDir }: LogDir): readonly string[] {
  const names = relative(root, path).split(sep);
  const parts = names.map((_, at) => join(root, ...names.slice(0, at + 1)));
  const reviews = join(stateDir, "reviews");
  return [...parts, stateDir, reviews, join(reviews, "trees"), join(path, "previous")];
}

/** For a read-only disk or a broken link Node 20 gives a wrong reason; making one directory at a time gives the right one. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    makeEach(path);
  }
}

function makeEach(path: string): void {
  const parent = dirname(path);
  if (factsOf(parent) === undefined) makeEach(parent);
  mkdirSync(path);
}

function ignoreOurselves(path: string): void {
  try {
    writeFileSync(path, "*\n", { flag: "wx" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

export function gateLogName(gateId: string, runNumber: number): string {
  return `${plainName(gateId)}.${runNumber}.log`;
}

/** Without a descriptor the log could not be made; writing to it tells. */
export interface TakenLog {
  readonly name: string;
  readonly fd?: number;
}

/** No two gates get the same log: `a/b` and `a_b` have the same plain name. */
export function takeGateLog(dir: string, gateId: string, runNumber: number): TakenLog {
  const plain = gateLogName(gateId, runNumber);
  for (let namesake = 1; namesake <= MAX_NAMESAKES; namesake++) {
    const name =
      namesake === 1 ? plain : gateLogName(`${plainName(gateId).slice(0, 170)}-${namesake}`, runNumber);
    const made = makeLog(join(dir, name));
    if (made !== "taken") return { name, ...made };
  }
  return { name: plain };
}

const MAX_NAMESAKES = 1_000;

function plainName(gateId: string): string {
  return gateId.replaceAll(/[^A-Za-z0-9._-]/g, "_").slice(0, 180);
}

function makeLog(path: string): { readonly fd?: number } | "taken" {
  try {
    return { fd: openSync(path, "wx+", 0o600) };
  } catch (error) {
    return hasCode(error, "EEXIST") ? "taken" : {};
  }
}

export function consoleLogName(runNumber: number): string {
  return `console.${runNumber}.log`;
}

const KEPT_RUNS = 20;
const KEPT_BYTES = 200 * 1024 * 1024;

const LIGHT_RUN_BYTES = 1024 * 1024;

/** The number of the next run. Logs older than 20 runs, or beyond 200 MB, are removed; those of the last run always stay. */
export function makeRoomForRun(dir: LogDir, lastKnown = 0): number {
  const logs = logFiles(dir);
  const last = highestRun(logs);
  const next = Math.max(last, lastKnown) + 1;
  const isOld = ({ runNumber }: LogFile): boolean => runNumber <= next - KEPT_RUNS;
  for (const log of logs) if (isOld(log) && log.runNumber < last) removeFile(join(dir.path, log.name)); // one that stays is tried again
  dropHeavyLogs(
    dir,
    logs.filter((log) => !isOld(log)),
    last,
  );
  return next;
}

/** After two light runs there is nothing new to weigh. */
function dropHeavyLogs(dir: LogDir, logs: readonly LogFile[], last: number): void {
  const weigh = (some: readonly LogFile[]): number => some.reduce((sum, log) => sum + sizeOf(dir, log), 0);
  const older = logs.filter(({ runNumber }) => runNumber < last);
  const lastButOne = highestRun(older);
  let bytes = weigh(logs.filter(({ runNumber }) => runNumber === last));
  if (bytes + weigh(older.filter(({ runNumber }) => runNumber === lastButOne)) <= LIGHT_RUN_BYTES) return;
  for (const log of older.toSorted((a, b) => b.runNumber - a.runNumber)) {
    bytes += sizeOf(dir, log);
    if (bytes > KEPT_BYTES) removeFile(join(dir.path, log.name));
  }
}

function highestRun(logs: readonly LogFile[]): number {
  return logs.reduce((highest, { runNumber }) => Math.max(highest, runNumber), 0);
}

function sizeOf(dir: LogDir, { name }: LogFile): number {
  return factsOf(join(dir.path, name))?.size ?? 0;
}

export function archiveLogs(dir: LogDir): Result<number> {
  const previous = join(dir.path, "previous");
  const names = namesIn(dir.path).filter(isArchived);
  if (names.length === 0) return ok(0);
  try {
    mkdirSync(previous, { recursive: true });
    for (const name of namesIn(previous).filter(isArchived)) removeFile(join(previous, name));
    for (const name of names) renameSync(join(dir.path, name), join(previous, name));
    return ok(names.length);
  } catch (error) {
    return troubleOf("write the archived logs to", previous, error);
  }
}

export function forgetState(dir: LogDir, keepSession?: string): Result<void> {
  const kept = `session-${keepSession ?? ""}.json`;
  try {
    const isOurs = (name: string): boolean => STATE.test(name) && name !== kept;
    for (const name of readdirSync(dir.stateDir).filter(isOurs)) removeTree(join(dir.stateDir, name));
    return ok(undefined);
  } catch (error) {
    return troubleOf("write to the state directory", dir.stateDir, error);
  }
}

const STATE = /^(?:session-.+\.json|groups|reviews|pass-.+\.index|.+\.tmp)$/;

export function sweepDrafts({ stateDir }: LogDir): void {
  for (const name of namesIn(stateDir).filter((one) => one.endsWith(".tmp")))
    removeFile(join(stateDir, name));
}

interface LogFile {
  readonly name: string;
  readonly runNumber: number;
}

function logFiles(dir: LogDir): readonly LogFile[] {
  return namesIn(dir.path).flatMap((name) => {
    const number = LOG.exec(name)?.[1];
    return number === undefined ? [] : [{ name, runNumber: Number(number) }];
  });
}

const LOG = /^(?:(?:check|review|repl|baseline)_.*|console)\.(\d{1,9})\.log$/;

/** The files on which agents answer findings; the state directory has a copy. */
const REVIEW_SHEET = /^(?:review|guard)_.*\.slot-\d+\.json$/;

function isArchived(name: string): boolean {
  return LOG.test(name) || REVIEW_SHEET.test(name);
}

export function isOurName(name: string): boolean {
  return isArchived(name) || OTHER_NAMES.test(name);
}

const OTHER_NAMES =
  /^(?:previous|\.gitignore|\.gitkeep|\.state|\.debug\.log(?:\.1)?|\.gauntlet-run\.lock.*)$/;

const KEPT_SESSIONS = 20;

export function removeSessionLogs(logsDir: string, session: string): void {
  removeTree(join(logsDir, session));
}

export function pruneSessionLogs(logsDir: string): void {
  const sessions = readdirSync(logsDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && namesIn(join(logsDir, entry.name)).includes(".state"))
    .map(({ name }) => ({ name, changedAt: modifiedAt(join(logsDir, name)) ?? 0 }))
    .toSorted((a, b) => b.changedAt - a.changedAt);
  for (const { name } of sessions.slice(KEPT_SESSIONS)) removeSessionLogs(logsDir, name);
}

export async function readLogFile(path: string): Promise<string> {
  return promises.readFile(path).then(
    (bytes) => bytes.toString("utf8"),
    () => "",
  );
}
