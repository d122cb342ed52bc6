import type { AbsolutePath } from "../../core/path.ts";
import { findExecutable, startOf } from "../../machine/process/executables.ts";
import { runProcess } from "../../machine/process/run-process.ts";
import { restingUntil } from "../../machine/state/reviewer-cooldown.ts";
import { TailBuffer } from "../../machine/files/tail.ts";
import type { Reviewer } from "./reviewer.ts";

/** How a reviewer is doing. No question is put to it, so this costs nothing. */
export interface ReviewerHealth {
  readonly reviewer: Reviewer;
  readonly state: "ready" | "resting" | "not-logged-in" | "missing";
  readonly path?: string;
  readonly version?: string;
  /** When `resting`: milliseconds since the epoch. */
  readonly until?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Looks whether a reviewer is there, logged in as far as it says so, and not at its limit. */
export async function probeReviewer(
  reviewer: Reviewer,
  { env, cwd }: { env: Environment; cwd: AbsolutePath | string },
): Promise<ReviewerHealth> {
  const path = findExecutable(reviewer.detect ?? reviewer.executable, env, cwd);
  if (path === undefined) return { reviewer, state: "missing" };
  const ask = (args: readonly string[]): Promise<string> => output([...startOf(path), ...args], { env, cwd });
  const until = restingUntil(reviewer.name, env);
  const [printed, login] = await Promise.all([
    reviewer.versionArgs.length === 0 ? "" : ask(reviewer.versionArgs),
    reviewer.loginArgs === undefined ? "" : ask(reviewer.loginArgs),
  ]);
  const version = /\d+\.\d[\w.+-]*/.exec(printed)?.[0];
  const found = { reviewer, path, ...(version === undefined ? {} : { version }) };
  if (until !== undefined) return { ...found, state: "resting", until };
  const isLoggedOut = reviewer.notLoggedIn.test(login) || /"loggedIn":\s*false/.test(login);
  return { ...found, state: isLoggedOut ? "not-logged-in" : "ready" };
}

const PATIENCE_MS = 10_000;
const MAX_BYTES = 16 * 1024;

async function output(
  argv: readonly [string, ...string[]],
  { env, cwd }: { env: Environment; cwd: string },
): Promise<string> {
  const printed = new TailBuffer(MAX_BYTES);
  const onOutput = (chunk: Buffer): void => printed.write(chunk);
  await runProcess({ argv, cwd, env, timeoutMs: PATIENCE_MS, onOutput });
  return printed.toString();
}
