import { join } from "node:path";
import { elapsedMs } from "../clock.ts";
import { readIfFile, removeFile } from "../files/files.ts";
import { LineLog } from "../logs/line-log.ts";
import type { LockHolder } from "../state/lock.ts";
import type { LogDir } from "../logs/log-dir.ts";
import { endGroup, HURRIED_GRACE_MS } from "./run-process.ts";
import {
  beganAt,
  bootId,
  groupsWithEnvironment,
  orphanedGroups,
  pidNamespace,
  START_GRAIN_MS,
} from "./group.ts";
import { RUN_ID_VARIABLE } from "./environment.ts";

export const GATE_MARK = "GAUNTLET_GATE_RUN";

export class GateGroups implements Disposable {
  readonly #dir: LogDir;
  readonly #list: LineLog;
  readonly #pids = new Set<number>();
  #clock: SystemClock | undefined;

  constructor(dir: LogDir) {
    this.#dir = dir;
    this.#list = new LineLog(groupsFile(dir));
  }

  /** Records a group and when it started: that tells it from a later process with the same pid. */
  record(pid: number, since: number): void {
    this.#pids.add(pid);
    const at = elapsedMs();
    if (this.#clock === undefined || at - this.#clock.setAt > SETTING_LASTS_MS)
      this.#clock = clockBy(pid, { since, at });
    const { ahead, slack } = this.#clock ?? { ahead: Number.NaN, slack: 0 };
    this.#list.write(`${pid} ${Math.floor(since + ahead - slack)} ${Math.ceil(at + ahead)}`);
  }

  has(pid: number): boolean {
    return this.#pids.has(pid);
  }

  [Symbol.dispose](): void {
    this.#list[Symbol.dispose]();
    forgetGroups(this.#dir);
  }
}

/** How far the system's clock for processes is ahead of `elapsedMs`, and how uncertain that is. */
interface SystemClock {
  readonly ahead: number;
  readonly slack: number;
  readonly setAt: number;
}

/** Sleep or a changed clock shifts the two. */
const SETTING_LASTS_MS = 1_000;

/** Asked of one of the gates that start together: asking for each takes longer than recording it. */
function clockBy(
  pid: number,
  { since, at }: { readonly since: number; readonly at: number },
): SystemClock | undefined {
  const began = beganAt(pid);
  return began === undefined ? undefined : { ahead: began - since, slack: at - since, setAt: at };
}

function forgetGroups(dir: LogDir): void {
  removeFile(groupsFile(dir)); // a list that stays names only groups that are gone
}

/**
 * Kills what a killed run left: recorded groups and processes with its mark, including git. In another pid namespace its pids
 * are not ours to kill.
 */
export async function endLeftovers(dir: LogDir, dead: LockHolder): Promise<void> {
  const isElsewhere = dead.namespace !== undefined && dead.namespace !== pidNamespace();
  if (isElsewhere) return forgetGroups(dir);
  const recorded = dead.bootId === bootId() ? readGroups(dir) : [];
  const marks = [dead.runId, ...(dead.mark === undefined ? [] : [dead.mark])];
  const marked = marks.flatMap((mark) => groupsWithEnvironment(RUN_ID_VARIABLE, mark));
  const groups = new Set([...recorded, ...marked]);
  await Promise.all([...groups].map((pid) => endGroup(pid, HURRIED_GRACE_MS)));
  forgetGroups(dir);
}

/** Kills what killed processes of ours had started for themselves, such as git. */
export async function endOrphans(): Promise<void> {
  const groups = orphanedGroups(RUN_ID_VARIABLE, "GAUNTLET_STOP_HOOK_ACTIVE"); // what a check or a reviewer left on purpose has that, too
  await Promise.all(groups.map((pid) => endGroup(pid, HURRIED_GRACE_MS)));
}

function readGroups(dir: LogDir): readonly number[] {
  const lines = readIfFile(groupsFile(dir))?.split("\n").filter(Boolean) ?? [];
  return lines.flatMap((line) => {
    const [pid = Number.NaN, from = Number.NaN, to = Number.NaN] = line.split(" ").map(Number);
    const began = beganAt(pid) ?? Number.NaN;
    return began >= from - START_GRAIN_MS && began <= to + START_GRAIN_MS ? [pid] : [];
  });
}

function groupsFile(dir: LogDir): string {
  return join(dir.stateDir, "groups");
}
