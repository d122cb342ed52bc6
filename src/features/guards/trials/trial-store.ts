import { join } from "node:path";
import { isFlag, isNumber, isText, listOf, objectOf, oneOf } from "../../../shape.ts";
import { hasCode } from "../../../system/files/errno.ts";
import { keepNewest, makePrivateDirectory } from "../../../system/files/files.ts";
import { jsonFile } from "../../../system/state/json-file.ts";
import type { TrialResult } from "./try-checks.ts";

const isProblem = objectOf(
  { message: isText, severity: oneOf("error", "warning"), isBuild: isFlag, key: isText },
  { file: isText, line: isNumber, test: isText },
);

const file = jsonFile<TrialResult>(
  1,
  objectOf({ kind: oneOf("passed", "failed") }, { problems: listOf(isProblem), isAllRead: isFlag }),
);

const KEPT = 200;

export function readTrial(stateDir: string, key: string): TrialResult | undefined {
  return file.read(fileOf(stateDir, key)).value;
}

export function writeTrial(stateDir: string, key: string, result: TrialResult): void {
  const directory = join(stateDir, "trials");
  try {
    makePrivateDirectory(directory);
  } catch (error) {
    if (hasCode(error)) return; // it runs again at the next stop
    throw error;
  }
  file.write(fileOf(stateDir, key), result);
  keepNewest(directory, KEPT);
}

function fileOf(stateDir: string, key: string): string {
  return join(stateDir, "trials", `${key}.json`);
}
