import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import type { Environment } from "./environment.ts";

/** Starts a program that outlives us, in a group of its own and without our output, which an agent would wait for. */
export function startDetached(
  [file, ...args]: readonly [string, ...string[]],
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): void {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: "ignore", windowsHide: true });
  child.on("error", () => {}); // then nothing runs ahead
  child.unref();
}

/** For us and everything we start from now on. */
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    return; // a sandbox forbids it
  }
}
