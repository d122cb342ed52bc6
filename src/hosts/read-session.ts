import type { SessionName } from "../system/state/state-keys.ts";
import { parseObject, textOf, workspaceOf } from "./protocol.ts";
import type { Payload } from "./host.ts";

/** In events other than stops every host names the session as in its stops, in snake_case or camelCase. */
export function readSessionEvent(
  text: string,
  cwd: string,
): (SessionName & { readonly payload: Payload }) | undefined {
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
