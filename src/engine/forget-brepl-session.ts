import { explain } from "../core/trouble.ts";
import { sessionKey } from "../machine/session-key.ts";
import { dropHookLogs } from "./hook-logs.ts";
import { saveRetryCounts } from "./retry-counts-store.ts";

/** Removes the retry counts and the logs of a session; says what went wrong, if anything did. */
export function forgetBreplSession(
  event: { readonly sessionId?: string | undefined; readonly transcriptPath?: string | undefined },
  cwd: string,
): string | undefined {
  const session = sessionKey(event, cwd);
  dropHookLogs(cwd, session);
  const removed = saveRetryCounts(session, new Map());
  return removed.ok ? undefined : explain(removed.trouble);
}
