import { join } from "node:path";
import { absolutePath, projectPath } from "../../../path.ts";
import { ok, type Result } from "../../../trouble.ts";
import { makePrivateDirectory, namesIn, troubleOf } from "../../../system/files/files.ts";
import { type LogDir, logDirOf, prepareLogDir } from "../../../system/logs/log-dir.ts";
import { endLeftovers } from "../../../system/process/leftovers.ts";
import { acquireLock, type Lock } from "../../../system/state/lock.ts";

export interface WorkerHome {
  readonly path: string;
  readonly state: LogDir;
  readonly lock: Lock;
}

const MAX_HOMES = 1000;

/** Takes the first that no living worker has, and kills what its dead owner left running. */
export async function takeHome(directory: string): Promise<Result<WorkerHome>> {
  for (let number = 0; ; number += 1) {
    const home = await takeNumbered(directory, number);
    if (home.ok || home.trouble.kind !== "lock-held" || number === MAX_HOMES) return home;
  }
}

export async function endWhatIsLeft(directory: string): Promise<void> {
  for (const name of namesIn(directory)) {
    const number = /^w(\d+)$/.exec(name)?.[1];
    const home = number === undefined ? undefined : await takeNumbered(directory, Number(number));
    if (home?.ok) home.value.lock[Symbol.dispose]();
  }
}

async function takeNumbered(directory: string, number: number): Promise<Result<WorkerHome>> {
  const path = join(directory, `w${number}`);
  const state = logDirOf(absolutePath(path), projectPath("state"));
  try {
    makePrivateDirectory(path);
  } catch (error) {
    return troubleOf("create", path, error);
  }
  const prepared = prepareLogDir(state);
  if (!prepared.ok) return prepared;
  const lock = acquireLock(state.lockFile);
  if (!lock.ok) return lock;
  if (lock.value.replaced !== undefined) await endLeftovers(state, lock.value.replaced);
  return ok({ path, state, lock: lock.value });
}
