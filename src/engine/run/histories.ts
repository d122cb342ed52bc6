import type { SessionHistory, WorkTreeHistory } from "../../core/record/history.ts";
import type { RunRequest } from "../../core/run.ts";
import { type SessionStart, startIn } from "../../core/record/session-record.ts";
import type { KnownGood, StartingPoint } from "../../machine/git/compare/base.ts";
import type { Environment } from "../../machine/process/environment.ts";
import { readSession, readWorkTree } from "../../machine/state/history.ts";
import { passIndexOf } from "../../machine/state/passes.ts";
import type { Project } from "./project.ts";

/** What the work tree and the session have been through. */
export interface Histories {
  readonly workTree: WorkTreeHistory;
  readonly session: SessionHistory;
  /** State that could not be trusted and counts as absent. */
  readonly warnings: readonly string[];
}

export function readHistories({ logDir, passDir, session: key }: Project): Histories {
  const workTree = readWorkTree(logDir.stateDir, passDir);
  const session = readSession(logDir.stateDir, key);
  const warnings = [workTree.warning, session.warning].filter((one) => one !== undefined);
  return { workTree: workTree.value, session: session.value, warnings };
}

/** What was good before, for a base that hides what was committed. */
export function knownGood(
  { passDir, settings, env }: Project,
  { record }: RunRequest,
  { workTree: { pass } }: Histories,
): KnownGood {
  return {
    sessionStart: startingPoint(startIn(record, settings.root), env),
    pass: pass && {
      index: passIndexOf(passDir, pass.tree),
      head: pass.head,
      runNumber: pass.runNumber,
    },
  };
}

function startingPoint(start: SessionStart | undefined, env: Environment): StartingPoint | undefined {
  if (start?.tree === undefined) return start?.head === undefined ? undefined : { commit: start.head };
  const tree = async () => {
    const { sessionTree } = await import("../../machine/state/session-trees.ts"); // only where commits hide changes
    return sessionTree(start, env);
  };
  return { commit: start.head, tree };
}
