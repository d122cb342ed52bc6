import { join } from "node:path";
import { isText, isTime, listOf, objectOf, textLike } from "../../shape.ts";
import type { Skip } from "./spoken.ts";
import type { Result } from "../../trouble.ts";
import { discard, isFile, makePrivateDirectory, troubleOf } from "../../system/files/files.ts";
import type { Environment } from "../../system/process/environment.ts";
import { jsonFile } from "../../system/state/json-file.ts";
import { projectStateDir } from "../../system/state/state-keys.ts";

const file = jsonFile<readonly Skip[]>(
  1,
  listOf(objectOf({ reason: isText, at: isTime }, { gate: textLike(/\S/), until: isTime, session: isText })), // no name would mean every gate
);

/** Only looks for the file: hardly any stop has skips. */
export function hasSkips(root: string, env: Environment): boolean {
  return isFile(fileOf(root, env));
}

export function readSkips(root: string, env: Environment, now: number): readonly Skip[] {
  const skips = file.read(fileOf(root, env)).value ?? [];
  return skips.filter(({ until = Infinity, at }) => until > now && at > now - LONGEST_MS);
}

/** After a week no skip counts. */
const LONGEST_MS = 7 * 24 * 60 * 60 * 1000;

export function writeSkips(root: string, skips: readonly Skip[], env: Environment): Result<void> {
  const path = fileOf(root, env);
  if (skips.length === 0) {
    discard(path);
    return { ok: true, value: undefined };
  }
  try {
    makePrivateDirectory(projectStateDir(root, env));
  } catch (error) {
    return troubleOf("write", path, error);
  }
  return file.write(path, skips);
}

function fileOf(root: string, env: Environment): string {
  return join(projectStateDir(root, env), "skips.json");
}
