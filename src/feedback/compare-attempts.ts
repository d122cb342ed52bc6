import { type Problem, fingerprint } from "./problem.ts";

/** What became of the problems since the last attempt. */
export interface Delta {
  /** How many are not reported any more: fixed, or hidden by something that failed earlier. */
  readonly gone: number;
  readonly stillThere: readonly Problem[];
  readonly fresh: readonly Problem[];
}

/** `previous` holds the fingerprints of the last attempt; the same fingerprint may stand for several places. */
export function compareAttempts(previous: readonly string[], problems: readonly Problem[]): Delta {
  const open = new Map<string, number>();
  for (const known of previous) open.set(known, (open.get(known) ?? 0) + 1);
  const stillThere: Problem[] = [];
  const fresh: Problem[] = [];
  for (const problem of problems) {
    const key = fingerprint(problem);
    const left = open.get(key) ?? 0;
    (left > 0 ? stillThere : fresh).push(problem);
    open.set(key, left - 1);
  }
  return { gone: previous.length - stillThere.length, stillThere, fresh };
}

/** One line for the agent and for `status`. */
export function describeDelta(delta: Delta): string {
  const { gone, stillThere, fresh } = delta;
  if (gone === 0 && fresh.length === 0) {
    return `Since the last attempt: nothing changed, ${stillThere.length} still there.`;
  }
  return `Since the last attempt: ${gone} gone, ${stillThere.length} still there, ${fresh.length} new.`;
}
