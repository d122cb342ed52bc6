import type { AbsolutePath } from "../../../core/path.ts";
import { NEW_RECORD } from "../../../core/record/session-record.ts";
import { beginSession, registeredIn } from "../../../engine/session-start.ts";
import { consentTo } from "../../../engine/trust/consent.ts";
import { recordGates } from "../../../engine/trust/watch-gates.ts";
import { ONLY_ALLOWED_FLAG } from "../../../hosts/protocol.ts";
import { readSessionEvent } from "../../../hosts/read-session.ts";
import { writeAll } from "../../../machine/files/files.ts";
import { currentDirectory, trace } from "../../../machine/process/environment.ts";
import { readStdin } from "../../../machine/process/stdin.ts";
import { timeLimit } from "../../../machine/process/time-limit.ts";
import { cancellation } from "../../cancellation.ts";

/** The host waits for us before its user can type: a tree that takes longer to read is not kept. */
const PATIENCE_MS = 15_000;

/** Remembers where a session begins. Nothing on stdout, which several hosts show to the model, and always exit code 0. */
export async function runSessionStart(args: readonly string[] = []): Promise<number> {
  using cancel = cancellation();
  try {
    const problem = await remember(args.includes(ONLY_ALLOWED_FLAG), timeLimit(PATIENCE_MS, cancel.signal));
    if (problem !== undefined) complain(problem);
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
  }
  trace("session start recorded");
  return 0;
}

/** What kept the beginning from being recorded, if something did. */
async function remember(onlyAllowed: boolean, signal: AbortSignal): Promise<string | undefined> {
  const { env } = process;
  if (env["GAUNTLET_STOP_HOOK_ACTIVE"] || env["GAUNTLET_STOP_HOOK_ACTIVE_ENV"]) return undefined; // a reviewer's own session
  const session = readSessionEvent(await readStdin(signal), currentDirectory());
  if (session === undefined) return "the event is not one JSON object";
  const gates = (root: AbsolutePath) => recordGates(root, env);
  const mayRun = async (root: AbsolutePath) =>
    !onlyAllowed || (await consentTo(root, NEW_RECORD, env)).kind === "allowed";
  const hooks = (root: AbsolutePath) => registeredIn(root, env);
  await beginSession({ session, env, gates, hooks, mayRun }, signal);
  return undefined;
}

function complain(problem: string): void {
  writeAll(2, `[gauntlet] Where this session begins was not recorded: ${problem}\n`);
}
