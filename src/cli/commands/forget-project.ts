import type { Session } from "../../stop/session.ts";
import type { Result } from "../../trouble.ts";
import { forgetFound } from "../../features/baseline/store.ts";
import { removeTree, troubleOf } from "../../system/files/files.ts";
import type { Environment } from "../../system/process/environment.ts";
import { updateSessions } from "../../stop/session-store.ts";
import { forgetLedger, ledgerOf } from "../../ledger/ledger.ts";
import { projectStateDir } from "../../system/state/state-keys.ts";
import { forgetCached } from "../../system/state/user-cache.ts";

type IsOurs = (root: string) => boolean;

/** Removes all that is kept about a project outside of it, for every work tree. What the user allowed stays: `deny` takes that back. */
export function forgetProject(root: string, env: Environment): Result<void> {
  const ledger = ledgerOf(root, env);
  const isOurs: IsOurs = (other) => ledgerOf(other, env).directory === ledger.directory;
  const roots = new Set([root]);
  updateSessions(env, (session) => {
    const seen = rootsOf(session);
    for (const one of seen.filter(isOurs)) roots.add(one);
    if (!seen.some(isOurs)) return undefined;
    return seen.every(isOurs) ? "gone" : withoutProject(session, isOurs);
  });
  try {
    forgetFound(root, env);
    for (const one of roots) {
      forgetCached(env, one);
      removeTree(projectStateDir(one, env)); // a linked work tree has its own passes
    }
  } catch (error) {
    return troubleOf("remove what is kept about", root, error);
  }
  return forgetLedger(ledger);
}

function rootsOf({ root, starts = [], blocked, retries = {} }: Session): readonly string[] {
  const seen = [root, blocked?.root, ...starts.map((start) => start.root), ...Object.keys(retries)];
  return seen.filter((one) => one !== undefined);
}

function withoutProject(session: Session, isOurs: IsOurs): Session {
  const { root, blocked, lastStop, starts = [], retries = {}, lasting = [] } = session;
  const isLastHere = root !== undefined && isOurs(root);
  const isBlockedHere = blocked !== undefined && isOurs(blocked.root);
  return {
    ...session,
    starts: starts.filter((start) => !isOurs(start.root)),
    retries: Object.fromEntries(Object.entries(retries).filter(([place]) => !isOurs(place))),
    lasting: lasting.filter((one) => !isOurs(one.root)),
    root: isLastHere ? undefined : root,
    lastStop: isLastHere ? undefined : lastStop,
    blocked: isBlockedHere ? undefined : blocked,
  };
}
