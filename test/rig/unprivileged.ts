import { spawnSync } from "node:child_process";

const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;

/** Puts a command under a user whom file permissions hold back: root, as tests in containers run, may everything. */
export const UNPRIVILEGED: readonly string[] = IS_ROOT
  ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"]
  : [];

/** The user of these commands, where it is not the one who runs the tests. */
export const OWNER: number | undefined = IS_ROOT ? NOBODY : undefined;

/** Whether commands can be run so at all. */
export function canBeUnprivileged(): boolean {
  if (process.platform === "win32") return false;
  return !IS_ROOT || spawnSync("setpriv", [...UNPRIVILEGED.slice(1), "true"]).status === 0;
}
