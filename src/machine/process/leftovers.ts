import { join } from "node:path";
import { removeFile, readSmallFile } from "../files/files.ts";
import { LineLog } from "../logs/line-log.ts";
import type { LockHolder } from "../state/lock.ts";
import type { LogDir } from "../logs/log-dir.ts";
import { endGroup, HURRIED_GRACE_MS } from "./run-process.ts";
import { bootId, groupsWithEnvironment, startTime } from "./group.ts";

/** The variable that marks every process of a run, so that none is missed when the run is killed before it wrote it down. */
export const RUN_ID_VARIABLE = "GAUNTLET_RUN_ID";

/** The list of the process groups of a run's gates. Disposed of when everything of the run has ended. */
export class GateGroups implements Disposable {
  readonly #dir: LogDir;
  readonly #list: LineLog;

  constructor(dir: LogDir) {
    this.#dir = dir;
    this.#list = new LineLog(groupsFile(dir));
  }

  /** Writes a group down, with the start time that tells it from a later process with the same pid. */
  record(pid: number): void {
    this.#list.write(`${pid} ${startTime(pid) ?? ""}`);
  }

  [Symbol.dispose](): void {
    this.#list[Symbol.dispose]();
    forgetGroups(this.#dir);
  }
}

function forgetGroups(dir: LogDir): void {
  removeFile(groupsFile(dir)); // a list that stays names only groups that are gone
}

/** Ends what a killed run left running: the groups it wrote down and the processes that carry its mark. */
export async function endLeftovers(dir: LogDir, dead: LockHolder): Promise<void> {
  const recorded = dead.bootId === bootId() ? readGroups(dir) : [];
  const groups = new Set([...recorded, ...groupsWithEnvironment(RUN_ID_VARIABLE, dead.runId)]);
  await Promise.all([...groups].map((pid) => endGroup(pid, HURRIED_GRACE_MS)));
  forgetGroups(dir);
}

function readGroups(dir: LogDir): readonly number[] {
  return readLines(groupsFile(dir)).flatMap((line) => {
    const [pid = "", started = ""] = line.split(" ");
    const isSameProcess = started !== "" && startTime(Number(pid)) === started;
    return isSameProcess ? [Number(pid)] : [];
  });
}

function readLines(path: string): readonly string[] {
  try {
    return readSmallFile(path).split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

function groupsFile(dir: LogDir): string {
  return join(dir.stateDir, "groups");
}
