import { gateId } from "../gates/gate.ts";
import type { GateOutcome } from "../gates/outcome.ts";
import type { PassKey } from "./pass-key.ts";
import type { OpenFailure } from "./retry-state.ts";
import type { Status } from "./status.ts";

/** What the work tree has been through, in any session. */
export interface WorkTreeHistory {
  readonly lastRun?: RunRecord;
  /** Given to a run only if it was made under the run's own key. */
  readonly pass?: PassRecord;
}

/** What the next run must know of the last one that executed gates, and the details of its line in the ledger, which has the verdict. */
export interface RunRecord {
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly completedAt: number;
  readonly branch?: string;
  readonly head?: string;
  /** Whether `head` was part of the base branch already; work that becomes part of it later is done with. */
  readonly merged: boolean;
  /** It passed, but the pass could not be saved, which the user has been notified of. */
  readonly isPassLost?: boolean;
  readonly outcomes: readonly GateOutcome[];
}

/** A run as it is known afterwards: by its line in the ledger, with the details that are still kept. */
export interface PastRun {
  /** Absent if no gate was called for. */
  readonly number?: number | undefined;
  readonly status: Status;
  /** Milliseconds since the epoch. */
  readonly completedAt: number;
  readonly branch?: string;
  readonly head?: string;
  readonly outcomes: readonly GateOutcome[];
}

/** A run of everything that passed, and for exactly which inputs. */
export interface PassRecord {
  readonly runNumber: number;
  /** Names the index that was kept of its tree. */
  readonly indexName: string;
  /** The hash of that index: one that something else has written since is not the one that passed. Absent if none could be kept. */
  readonly index?: string;
  /** Its tree as git would name it. */
  readonly fingerprint?: string;
  /** The hash of how large its files were. */
  readonly sizes?: string;
  readonly key: PassKey;
  /** The ids of the gates that passed: it closes the failures of no other. */
  readonly passed: readonly string[];
  readonly baseCommit?: string;
  /** HEAD at the time. */
  readonly head?: string;
  /** The `.gitignore` files that were not in the index, ignored ones included: a further one may hide a file. */
  readonly ignoreFiles?: readonly string[] | undefined;
  readonly status: "passed" | "passed_with_warnings";
  /** The tree whose problems it excuses; compared with another tree, the same files may fail. */
  readonly since?: string;
  readonly at: number;
  /** It ran while the agent worked. */
  readonly isAhead?: boolean | undefined;
}

interface Now {
  readonly isPassTree: boolean;
  readonly baseCommit: string | undefined;
  readonly reference: string | undefined;
  readonly openFailures: readonly OpenFailure[];
}

/** Whether the last passed run, of the asker's own key, answers for this tree, this base and all that the session has open. */
export function isCoveredBy(pass: PassRecord | undefined, now: Now): pass is PassRecord {
  return (
    pass !== undefined &&
    now.isPassTree &&
    (pass.since === undefined || pass.since === now.reference) &&
    isSameBase(pass, now.baseCommit) &&
    now.openFailures.every(({ gate }) => pass.passed.includes(gateId(gate)))
  );
}

/** Without a base, changes are measured from HEAD: once they are committed, the start of their session is that commit. */
function isSameBase({ baseCommit, head }: PassRecord, now: string | undefined): boolean {
  return baseCommit === now || (baseCommit === undefined && head === now);
}

/** A tree without a fingerprint is never the same as another. */
export function isSameTree(known: string | undefined, current: string | undefined): boolean {
  return known !== undefined && known !== "" && known === current;
}

/** Minutes left of the run interval, or 0. A time in the future is a broken clock and counts for nothing. */
export function minutesUntilDue(
  lastRun: RunRecord | undefined,
  intervalMinutes: number,
  now: number,
): number {
  if (lastRun === undefined || lastRun.completedAt > now) return 0;
  return Math.max(0, intervalMinutes - (now - lastRun.completedAt) / 60_000);
}
