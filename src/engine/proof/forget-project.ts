import { definedOnly } from "../../core/defined-only.ts";
import type { SessionRecord } from "../../core/record/session-record.ts";
import type { Result } from "../../core/trouble.ts";
import { forgetFound } from "../../machine/baseline/baseline-store.ts";
import { removeTree, troubleOf } from "../../machine/files/files.ts";
import type { Environment } from "../../machine/process/environment.ts";
import { changeSessions } from "../../machine/state/change-sessions.ts";
import { forgetLedger, ledgerOf } from "../../machine/state/ledger.ts";
import { projectStateDir } from "../../machine/state/state-keys.ts";
import { forgetCached } from "../../machine/state/user-cache.ts";

type IsOurs = (root: string) => boolean;

/** Removes all that is kept about a project outside of it, for every work tree. What the user allowed stays: `deny` takes that back. */
export function forgetProject(root: string, env: Environment): Result<void> {
  const ledger = ledgerOf(root, env);
  const isOurs: IsOurs = (other) => ledgerOf(other, env).directory === ledger.directory;
  const roots = new Set([root]);
  changeSessions(env, (record) => {
    const seen = rootsOf(record);
    for (const one of seen.filter(isOurs)) roots.add(one);
    if (!seen.some(isOurs)) return undefined;
    return seen.every(isOurs) ? "gone" : withoutProject(record, isOurs);
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

/** The projects a session was seen in. */
function rootsOf({ root, starts = [], blocked }: SessionRecord): readonly string[] {
  return [root, blocked?.root, ...starts.map((start) => start.root)].filter((one) => one !== undefined);
}

function withoutProject(record: SessionRecord, isOurs: IsOurs): SessionRecord {
  const { root, blocked, lastStop, starts = [], ...rest } = record;
  const isLastHere = root !== undefined && isOurs(root);
  return {
    ...rest,
    starts: starts.filter((start) => !isOurs(start.root)),
    ...(isLastHere ? {} : definedOnly({ root, lastStop })),
    ...(blocked !== undefined && isOurs(blocked.root) ? {} : definedOnly({ blocked })),
  };
}
