import { parseObject, textOf } from "./protocol.ts";
import type { Payload } from "./host.ts";

export interface NamedSession {
  readonly sessionId?: string | undefined;
  readonly transcriptPath?: string | undefined;
  readonly cwd: string;
}

/** In events other than stops every host names the session as in its stops, in snake_case or camelCase. */
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
