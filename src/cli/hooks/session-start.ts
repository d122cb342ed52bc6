import type { AbsolutePath } from "../../path.ts";
import { NEW_SESSION } from "../../stop/session.ts";
import { beginSession, registeredIn } from "../../stop/session-start.ts";
import { consentTo } from "../../features/trust/consent.ts";
import { recordGates } from "../../features/trust/gate-changes.ts";
import { warningsAtStart } from "../../features/firing/unheard.ts";
import { jsonAnswer, ONLY_ALLOWED_FLAG } from "../../hosts/protocol.ts";
import { readSessionEvent } from "../../hosts/read-session.ts";
import { brokenConfiguration } from "../../stop/notices.ts";
import { loadSettingsQuickly } from "../../config/gauntlet/settings-cache.ts";
import { findProject } from "../../system/files/find-project.ts";
import type { SessionName } from "../../system/state/state-keys.ts";
import type { Environment } from "../../system/process/environment.ts";
import { writeAll } from "../../system/files/files.ts";
import { currentDirectory, DOCTOR_VARIABLE, trace } from "../../system/process/environment.ts";
import { readStdin } from "../../system/process/stdin.ts";
import { timeLimit } from "../../system/process/time-limit.ts";
import { withOwnCommand } from "../../system/process/runtime.ts";
import { cancellation } from "../../system/process/cancellation.ts";

/** The host waits for us before its user can type: a tree that takes longer to read is not kept. */
const PATIENCE_MS = 15_000;

/**
 * Remembers where a session begins. Nothing on stdout, which several hosts show to the model, unless the
 * configuration is broken; and always exit code 0.
 */
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

async function remember(onlyAllowed: boolean, signal: AbortSignal): Promise<string | undefined> {
  const { env } = process;
  if (env["GAUNTLET_STOP_HOOK_ACTIVE"] || env["GAUNTLET_STOP_HOOK_ACTIVE_ENV"]) return undefined; // a reviewer's own session
  if (env[DOCTOR_VARIABLE]) return undefined;
  const session = readSessionEvent(await readStdin(signal), currentDirectory());
  if (session === undefined) return "the event is not one JSON object";
  await begin(session, onlyAllowed, signal);
  const event = session.payload["hook_event_name"];
  if (event === "SessionStart") await warnUser(session, env);
  return undefined;
}

async function begin(session: SessionName, onlyAllowed: boolean, signal: AbortSignal): Promise<void> {
  const { env } = process;
  const gates = (root: AbsolutePath) => recordGates(root, env);
  const mayRun = async (root: AbsolutePath) =>
    !onlyAllowed || (await consentTo(root, NEW_SESSION, env)).kind === "allowed";
  const hooks = (root: AbsolutePath) => registeredIn(root, env);
  await beginSession({ session, env, gates, hooks, mayRun }, signal);
}

/** The same for a session that needs no hook to be known. */
export async function rememberSession(session: SessionName, onlyAllowed: boolean): Promise<void> {
  try {
    await begin(session, onlyAllowed, timeLimit(PATIENCE_MS, new AbortController().signal));
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
  }
}

/** Claude Code, Codex and their relatives show a `systemMessage` to the user, not to the model. */
async function warnUser({ cwd, sessionId }: SessionName, env: Environment): Promise<void> {
  const root = findProject(cwd);
  if (root === undefined) return;
  const loaded = await loadSettingsQuickly(root, env);
  const isBroken = !loaded.ok && loaded.trouble.kind === "config-invalid";
  const lines = [
    isBroken ? brokenConfiguration(loaded.trouble.diagnostics) : undefined,
    env["CLAUDECODE"] === undefined ? undefined : warningsAtStart(root, env, sessionId),
  ];
  const systemMessage = lines.filter(Boolean).join("\n");
  if (systemMessage !== "") writeAll(1, withOwnCommand(jsonAnswer({ systemMessage }).stdout));
}

function complain(problem: string): void {
  writeAll(2, `[gauntlet] Where this session begins was not recorded: ${problem}\n`);
}
