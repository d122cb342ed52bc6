import { isRecord, parseJson } from "../json.ts";
import type { Host, HostAnswer, Payload } from "./host.ts";
import { jsonAnswer, recordsOf, textOf } from "./protocol.ts";

/** What an agent's tools have just done, one call or a batch of them. */
export interface EditEvent {
  /** The host's name for it. */
  readonly name: string;
  /** As the agent named them: absolute, or relative to its directory. */
  readonly files: readonly string[];
  /** Whether a shell command ran, which may have changed any file. */
  readonly hasShell: boolean;
}

/** Measured with Claude Code 2.1.326, Codex 0.169, Gemini 0.61, Qwen 0.24, Copilot 1.0.102, Droid 0.215, Grok 1.0.41 and Kimi 2.1 (2026-11-18). */
export function readEdit(payload: Payload): EditEvent {
  const batch = recordsOf(payload, "tool_calls");
  const calls = (batch.length > 0 ? batch : [payload]).map(readCall);
  return {
    name: textOf(payload, "hook_event_name") ?? "PostToolUse",
    files: [...new Set(calls.flatMap(({ files }) => files))],
    hasShell: calls.some(({ isShell }) => isShell),
  };
}

const SHELL = /^(?:bash|shell|execute|run_(?:shell|terminal)_command|exec_command|local_shell)$/i;
const EDITS =
  /^(?:write|edit|multiedit|notebookedit|create|replace|search_replace|str_replace|apply_?patch)/i;

function readCall(call: Payload): { readonly files: readonly string[]; readonly isShell: boolean } {
  const tool = textOf(call, "tool_name") ?? textOf(call, "toolName") ?? "";
  const isShell = SHELL.test(tool);
  if (isShell) return { files: changedByShell(call), isShell };
  return { files: EDITS.test(tool) ? filesIn(inputOf(call)) : [], isShell };
}

/** Claude Code names the files that a command changed. */
function changedByShell(call: Payload): readonly string[] {
  const response = call["tool_response"];
  const diff = isRecord(response) ? response["bashEditDiff"] : undefined;
  const changed = isRecord(diff) ? diff["changedFiles"] : undefined;
  if (!Array.isArray(changed)) return [];
  return changed.flatMap((one: unknown) => {
    if (typeof one === "string") return [one];
    return isRecord(one) ? filesIn(one) : [];
  });
}

/** Copilot sends its arguments as text. */
function inputOf(call: Payload): Payload {
  const given = call["tool_input"] ?? call["toolInput"] ?? call["toolArgs"];
  const input = typeof given === "string" ? parseJson(given) : given;
  return isRecord(input) ? input : {};
}

function filesIn(input: Payload): readonly string[] {
  const patch = textOf(input, "command") ?? textOf(input, "input") ?? textOf(input, "patch") ?? "";
  const patched = [...patch.matchAll(/^\*\*\* (?:(?:Add|Update) File|Move to): (.+)$/gm)];
  const named = ["file_path", "filePath", "notebook_path", "path"].flatMap((key) => textOf(input, key) ?? []);
  return [...named.slice(0, 1), ...patched.flatMap(([, file = ""]) => file.trim() || [])];
}

/** Tells the model something beside its tools' results; undefined if nothing of the hook reaches it. */
export function editAnswer({ name }: Host, event: EditEvent, context: string): HostAnswer | undefined {
  if (name === "kimi") return undefined; // it does not wait for the hook
  if (name === "copilot") return jsonAnswer({ additionalContext: context });
  const hookSpecificOutput = { hookEventName: event.name, additionalContext: context };
  return jsonAnswer({ hookSpecificOutput });
}
