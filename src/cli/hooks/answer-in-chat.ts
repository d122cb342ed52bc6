import { spokenIn } from "../../features/trust/spoken.ts";
import { jsonAnswer } from "../../hosts/protocol.ts";
import type { SessionName } from "../../system/state/state-keys.ts";
import { writeAll } from "../../system/files/files.ts";
import { readSession } from "../../stop/session-store.ts";
import { capturing, processTerminal, type Terminal } from "../../report/terminal.ts";
import { explainCommand, showStop } from "../commands/explain.ts";
import { statusCommand } from "../commands/status.ts";

/**
 * Answers a command of the plugin itself, where no model is needed: Claude Code (2.1.325, 2026-11-16) drops a blocked prompt and shows
 * its user the reason. A model's turn would end in a stop, which runs the gates. False where the prompt is for the model.
 */
export async function answerInChat(session: SessionName, prompt: string): Promise<boolean> {
  const [, name = ""] = /^\/gauntlet:([a-z]+)(?:\s|$)/.exec(prompt) ?? [];
  const reason = await textFor(name, session, prompt);
  if (reason === undefined) return false;
  const hookSpecificOutput = { hookEventName: "UserPromptSubmit", suppressOriginalPrompt: true };
  writeAll(1, jsonAnswer({ decision: "block", reason, hookSpecificOutput }).stdout);
  return true;
}

async function textFor(name: string, session: SessionName, prompt: string): Promise<string | undefined> {
  const cwd = process.env["CLAUDE_PROJECT_DIR"] ?? session.cwd;
  const { terminal, text } = capturing({ ...processTerminal(), cwd });
  switch (name) {
    case "status":
      await statusCommand(terminal, {});
      return text();
    case "explain":
      await explainLast(terminal, session);
      return text();
    case "skip":
      return spokenIn(prompt).skip === undefined ? SAY_WHY : undefined;
    default:
      return undefined;
  }
}

const SAY_WHY = "Say why, and the next stop goes unchecked: `/gauntlet:skip the test server is down`";

async function explainLast(terminal: Terminal, session: SessionName): Promise<void> {
  const last = readSession(session, terminal.env).value?.lastStop;
  if (last === undefined) await explainCommand(terminal, {});
  else await showStop(terminal, { details: last });
}
