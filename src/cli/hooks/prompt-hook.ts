import { spokenIn } from "../../features/trust/spoken.ts";
import { recordGates } from "../../features/trust/gate-changes.ts";
import type { Payload } from "../../hosts/host.ts";
import { jsonAnswer, textOf } from "../../hosts/protocol.ts";
import { notePrompt } from "../../features/firing/unheard.ts";
import { withOwnCommand } from "../../system/process/runtime.ts";
import { readSessionEvent } from "../../hosts/read-session.ts";
import type { SessionName } from "../../system/state/state-keys.ts";
import { writeAll } from "../../system/files/files.ts";
import { currentDirectory, DOCTOR_VARIABLE } from "../../system/process/environment.ts";
import { readStdin } from "../../system/process/stdin.ts";
import { readSession, updateSession } from "../../stop/session-store.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import { loadLook } from "../load-look.ts";
import { projectOf } from "./project-of.ts";

/**
 * Takes down what the user's prompt says to us: `gauntlet skip: reason`, `gauntlet accept`. Whether the user really said it is found
 * out at the stop. On stdout, which hosts may show to the model, only what its user must know, and the answer to a command of the plugin; always exit
 * code 0.
 */
export async function runPromptHook(): Promise<number> {
  if (process.env[DOCTOR_VARIABLE]) return 0;
  using cancel = cancellation();
  try {
    const event = readSessionEvent(await readStdin(cancel.signal), currentDirectory());
    const prompt = event === undefined ? undefined : textOf(event.payload, "prompt");
    if (event === undefined || prompt === undefined) return 0;
    if (prompt.startsWith("/gauntlet:") && (await answerCommand(event, prompt))) return 0;
    await takeDown(event, prompt);
    await tellOfUnheard(event);
  } catch (error) {
    complain(error);
  }
  return 0;
}

/** The same for a prompt that needs no hook to be known. */
export async function hearPrompt(session: SessionName, prompt: string): Promise<void> {
  await takeDown(session, prompt).catch(complain);
}

function complain(error: unknown): void {
  const detail = error instanceof Error ? error.message : String(error);
  writeAll(2, `[gauntlet] The prompt was not looked at: ${detail}\n`);
}

/** Whether the prompt was a command that needs no model. */
async function answerCommand(session: SessionName, prompt: string): Promise<boolean> {
  const { answerInChat } = await loadLook(); // few prompts are commands of ours
  return answerInChat(session, prompt);
}

/**
 * Says which earlier prompts ended unchecked. Claude Code (2.1.326, 2026-11-19) shows a `systemMessage` to its user alone; others that
 * run this hook, all of which send a timestamp or no `prompt_id`, are told nothing.
 */
async function tellOfUnheard(event: SessionName & { readonly payload: Payload }): Promise<void> {
  const { env } = process;
  const promptId = textOf(event.payload, "prompt_id");
  const isReviewer = Boolean(env["GAUNTLET_STOP_HOOK_ACTIVE"] || env["GAUNTLET_STOP_HOOK_ACTIVE_ENV"]);
  if (promptId === undefined || "timestamp" in event.payload || isReviewer) return;
  const root = projectOf(event);
  const systemMessage = root === undefined ? undefined : await notePrompt({ ...event, promptId }, root, env);
  if (systemMessage !== undefined) writeAll(1, withOwnCommand(jsonAnswer({ systemMessage }).stdout));
}

/** A grant is for the next stop: a prompt without one takes an unused one back. */
async function takeDown(session: SessionName, prompt: string): Promise<void> {
  const { env } = process;
  const { skip, accept } = spokenIn(prompt);
  const root = accept === undefined ? undefined : projectOf(session);
  const gates = root === undefined ? undefined : await recordGates(root, env);
  const isAsked = skip !== undefined || gates !== undefined;
  const { asked: before, acceptsTests } = readSession(session, env).value ?? {};
  if (!isAsked && before === undefined && acceptsTests === undefined) return;
  const asked = isAsked ? { skip, accept: gates } : undefined;
  updateSession(session, env, (stored) => ({ ...stored, asked, acceptsTests: undefined }));
}
