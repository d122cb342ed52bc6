import { counted } from "../../words.ts";
import type { Hold, RunResult } from "../../run/result.ts";
import type { Considered, Stop } from "../../stop/handle-stop.ts";
import { statusMessage } from "../../stop/status.ts";
import { allow, type Verdict, verdictOf } from "../../stop/verdict.ts";
import { explain } from "../../trouble.ts";

/** Blocks because scripts behind the recorded gates changed: once for each change. */
export function blockForChangedGates(
  { event, blockCap = Infinity }: Stop,
  { root, session, result }: Considered & { readonly result: RunResult },
): Verdict {
  const verdict = verdictOf(result);
  const { hold, gates } = result.trust ?? {};
  if (hold === undefined || gates === undefined) return verdict;
  const { held } = session.value;
  const { promptId, sessionId } = event;
  const blocks = held?.promptId === promptId ? (held?.blocks ?? 0) : 0;
  const isKnown = hold.changes.every((key) => held?.root === root && held.changes.includes(key));
  const remember = (given: number): void =>
    session.change((stored) => ({
      ...stored,
      held: { root, changes: hold.changes, blocks: given, promptId },
    }));
  if (isKnown) {
    remember(blocks);
    return withoutPass(verdict, hold);
  }
  // A script that is another one at every stop must not block without end: as for failing gates, below the host's own cap.
  const most = Math.max(1, Math.min(hold.maxBlocks, blockCap - 1));
  if (verdict.decision === "allow" && blocks >= most) {
    remember(blocks);
    return gaveUp(verdict, hold, blocks);
  }
  remember(blocks + 1);
  const { whenActive } = hold;
  session.change((stored) => ({
    ...stored,
    blocked: { root: gates.root, whenActive, promptId, session: sessionId },
  }));
  const saved = session.save();
  return saved.ok ? blocking(verdict, hold) : uncountable(explain(saved.trouble));
}

const CHANGED = "the gates were changed in this session";

function blocking(verdict: Verdict, { feedback }: Hold): Verdict {
  return {
    decision: "block",
    status: "failed",
    message: statusMessage("failed", { detail: CHANGED }),
    feedback: verdict.decision === "block" ? `${verdict.feedback}\n\n${feedback}` : feedback,
  };
}

/** A stop that was already blocked for this is allowed, but is no pass. */
function withoutPass(verdict: Verdict, { unrun }: Hold): Verdict {
  if (verdict.decision === "block" || unrun === undefined) return verdict;
  return allow("not_allowed", { detail: unrun });
}

function gaveUp(verdict: Verdict, hold: Hold, blocks: number): Verdict {
  if (hold.unrun !== undefined) return withoutPass(verdict, hold);
  const detail = `${CHANGED} again after ${counted(blocks, "block")}: ${hold.words}`;
  return allow("retry_limit_exceeded", { detail });
}

/** A block that cannot be counted might repeat forever. */
function uncountable(why: string): Verdict {
  return allow("error", {
    detail: `${CHANGED}, and the block cannot be recorded, so the stop is allowed. ${why}`,
  });
}
