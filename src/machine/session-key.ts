import { nodeCrypto } from "./builtin.ts";

/** A session's name as a file name: its own id where that is harmless, a hash of whatever identifies it otherwise. */
export function sessionKey(
  event:
    { readonly sessionId?: string | undefined; readonly transcriptPath?: string | undefined } | undefined,
  fallback: string,
): string {
  if (event?.sessionId && isHarmless(event.sessionId)) return event.sessionId;
  return sha256(event?.sessionId || event?.transcriptPath || fallback);
}

export function sha256(text: string): string {
  return nodeCrypto().createHash("sha256").update(text).digest("hex");
}

function isHarmless(id: string): boolean {
  return /^[A-Za-z0-9._-]{1,128}$/.test(id) && id !== "." && id !== "..";
}
