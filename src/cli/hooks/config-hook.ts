import { judgeConfigChange } from "../../features/firing/config-change.ts";
import { holdsGates } from "../../features/trust/gate-changes.ts";
import { jsonAnswer } from "../../hosts/protocol.ts";
import { readSessionEvent } from "../../hosts/read-session.ts";
import { NEW_SESSION } from "../../stop/session.ts";
import { readSession } from "../../stop/session-store.ts";
import { writeAll } from "../../system/files/files.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import { currentDirectory } from "../../system/process/environment.ts";
import { withOwnCommand } from "../../system/process/runtime.ts";
import { readStdin } from "../../system/process/stdin.ts";
import { projectOf } from "./project-of.ts";

/**
 * Claude Code asks before it takes changed settings into a running session. A block keeps the old ones, our hooks included; without it
 * this can be the last hook of ours that it starts (2.1.328, 2026-11-19). Always exit code 0.
 */
export async function runConfigHook(): Promise<number> {
  using cancel = cancellation();
  try {
    const event = readSessionEvent(await readStdin(cancel.signal), currentDirectory());
    const root = event === undefined ? undefined : projectOf(event);
    if (event === undefined || root === undefined) return 0;
    const { env } = process;
    const session = readSession(event, env).value ?? NEW_SESSION;
    const isHeld = await holdsGates(session, root, env);
    const systemMessage = judgeConfigChange(event, { root, env, session, isHeld });
    if (systemMessage === undefined) return 0;
    const answer = isHeld ? { decision: "block", reason: systemMessage, systemMessage } : { systemMessage };
    writeAll(1, withOwnCommand(jsonAnswer(answer).stdout));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    writeAll(2, `[gauntlet] The changed settings were not looked at: ${problem}\n`);
  }
  return 0;
}
