import { sha256 } from "#hash";

/** A session's name as a file name: its own id where that is harmless, a hash of whatever identifies it otherwise. */
export function sessionKey(
  { sessionId, transcriptPath }: Omit<SessionName, "cwd">,
  fallback: string,
): string {
  if (sessionId && isHarmless(sessionId)) return sessionId;
  return sha256(sessionId || transcriptPath || fallback);
}

/** What a host says that tells one session from another. */
export interface SessionName {
  readonly sessionId?: string | undefined;
  readonly transcriptPath?: string | undefined;
  readonly cwd: string;
}

function isHarmless(id: string): boolean {
  return /^[A-Za-z0-9._-]{1,128}$/.test(id) && id !== "." && id !== "..";
}
