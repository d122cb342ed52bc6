import { consentTo } from "../../features/trust/consent.ts";
import { runAhead } from "../../features/ahead/run-ahead.ts";
import { absolutePath } from "../../path.ts";
import { readSession } from "../../stop/session-store.ts";
import { NEW_SESSION } from "../../stop/session.ts";
import { cancellation } from "../../system/process/cancellation.ts";

/** The background process that `edit-hook` starts; nobody reads what it prints. */
export async function runAheadHere([root = process.cwd()]: readonly string[]): Promise<number> {
  using cancel = cancellation();
  const { env } = process;
  const place = absolutePath(root);
  const consent = async ({
    event,
    onlyAllowed,
  }: Parameters<Parameters<typeof runAhead>[0]["consent"]>[0]) => {
    if (!onlyAllowed) return { judgedBy: undefined };
    const asked = await consentTo(place, readSession(event, env).value ?? NEW_SESSION, env);
    return asked.kind === "allowed" ? { judgedBy: asked.judgedBy } : ("not-allowed" as const);
  };
  await runAhead({ root: place, env, consent }, cancel.signal);
  return 0;
}
