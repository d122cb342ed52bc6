import { parseObject, textOf } from "./protocol.ts";
import type { Payload } from "./host.ts";

/** What tells one session from another, as its stops will name it. */
export interface NamedSession {
  readonly sessionId?: string | undefined;
  readonly transcriptPath?: string | undefined;
  readonly cwd: string;
}

/**
 * The session that an event other than a stop belongs to: every host names it there as it does in its stops, in snake_case or
 * camelCase. Undefined where the text is not one JSON object.
 */
export function readSessionEvent(
  text: string,
  cwd: string,
): (NamedSession & { readonly payload: Payload }) | undefined {
  const payload = parseObject(text);
  if (payload === undefined) return undefined;
  return {
    payload,
    sessionId:
      textOf(payload, "session_id") ?? textOf(payload, "sessionId") ?? textOf(payload, "conversation_id"),
    transcriptPath: textOf(payload, "transcript_path") ?? textOf(payload, "transcriptPath"),
    cwd: textOf(payload, "cwd") ?? workspaceOf(payload) ?? cwd,
  };
}

function workspaceOf(payload: Payload): string | undefined {
  const roots = payload["workspace_roots"];
  const first: unknown = Array.isArray(roots) ? roots[0] : undefined;
  return typeof first === "string" && first !== "" ? first : undefined;
}
