import { join } from "node:path";
import type { GateOutcome } from "../../gates/outcome.ts";
import { OUTCOME_KINDS } from "../../gates/outcome.ts";
import type { StopEvent } from "../../hosts/stop-event.ts";
import { isAnything, isCount, isFlag, isText, isTime, listOf, objectOf, oneOf } from "../../shape.ts";
import type { PassKey } from "../../stop/pass-key.ts";
import { discard } from "../../system/files/files.ts";
import { jsonFile } from "../../system/state/json-file.ts";

/** The last edit that an agent's hook told us of. */
export interface EditNote {
  /** Of the agent: the run ahead is for its stop. */
  readonly event: StopEvent;
  /** When a shell command of the agent last ended: one that runs beside a gate may disturb it. */
  readonly shellAt?: number;
  /** The agent's process, if it was found. */
  readonly agentPid?: number;
  readonly onlyAllowed: boolean;
}

const noteFile = jsonFile<EditNote>(
  1,
  objectOf(
    {
      event: objectOf({ host: isText, cwd: isText, continued: isFlag, backgroundTasks: listOf(isAnything) }),
      onlyAllowed: isFlag,
    },
    { shellAt: isTime, agentPid: isCount },
  ),
);

/** The run ahead that is under way. */
export interface RunningAhead {
  /** The work tree as it began. */
  readonly tree: string;
}

const runningFile = jsonFile<RunningAhead>(1, objectOf({ tree: isText }));

/** What the last run ahead that came to its end found, and on exactly which files. */
export interface AheadRecord {
  readonly runNumber: number;
  readonly startedAt: number;
  readonly files: string;
  readonly base?: string | undefined;
  readonly key: PassKey;
  readonly gates: readonly AheadGate[];
}

interface AheadGate {
  /** The changed files it was given. */
  readonly given: readonly string[];
  readonly outcome: GateOutcome;
}

const recordFile = jsonFile<AheadRecord>(
  1,
  objectOf(
    {
      runNumber: isCount,
      startedAt: isTime,
      files: isText,
      key: objectOf({ gates: isText, environment: isText, programs: isText }),
      gates: listOf(
        objectOf({
          given: listOf(isText),
          outcome: objectOf({ id: isText, name: isText, kind: oneOf(...OUTCOME_KINDS) }),
        }),
      ),
    },
    { base: isText },
  ),
);

/** All of it is in the user's state directory, beside what a pass is kept in. */
export function aheadDirectory(stateDir: string): string {
  return join(stateDir, "ahead");
}

/** Held by the one background process of a work tree. */
export function aheadLock(stateDir: string): string {
  return join(aheadDirectory(stateDir), "lock");
}

export function notePath(stateDir: string): string {
  return join(aheadDirectory(stateDir), "edit.json");
}

export function readNote(stateDir: string): EditNote | undefined {
  return noteFile.read(notePath(stateDir)).value;
}

export function writeNote(stateDir: string, note: EditNote): boolean {
  return noteFile.write(notePath(stateDir), note).ok;
}

export function readRunning(stateDir: string): RunningAhead | undefined {
  return runningFile.read(join(aheadDirectory(stateDir), "running.json")).value;
}

export function writeRunning(stateDir: string, running: RunningAhead | undefined): void {
  const path = join(aheadDirectory(stateDir), "running.json");
  if (running === undefined) discard(path);
  else runningFile.write(path, running);
}

export function readRecord(stateDir: string): AheadRecord | undefined {
  return recordFile.read(join(aheadDirectory(stateDir), "result.json")).value;
}

export function writeRecord(stateDir: string, record: AheadRecord): void {
  recordFile.write(join(aheadDirectory(stateDir), "result.json"), record);
}
