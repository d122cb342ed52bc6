import { gateId, type GateRef } from "../gate.ts";
import { coversGates } from "../settings.ts";
import type { GateOutcome } from "../outcome.ts";
import type { ProjectPath } from "../path.ts";
import type { Status } from "../stop/status.ts";

/** What the work tree has been through, in any session. */
export interface WorkTreeHistory {
  readonly lastRun?: RunRecord;
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
  /** Absent where no gate was called for. */
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
  readonly tree: string;
  /** Its tree as git would name it. */
  readonly fingerprint?: string;
  readonly gateHash: string;
  readonly baseCommit?: string;
  /** HEAD at the time. */
  readonly head?: string;
  readonly status: "passed" | "passed_with_warnings";
  /** It rests on what this tree had wrong before; compared with another tree, the same files may fail. */
  readonly since?: string;
  readonly at: number;
}

/** What one session has been through in this work tree. */
export interface SessionHistory {
  readonly promptId?: string;
  /** Blocks given for this prompt that count against the budget. */
  readonly attempts: number;
  /** All blocks given for this prompt, where progress made some of them free. */
  readonly blocks?: number;
  /** Attempts in a row with the identical problems. */
  readonly sameFor?: number;
  readonly openFailures: readonly OpenFailure[];
  /** The guards that blocked last. They look at every change again and are never planned. */
  readonly openGuards?: readonly OpenGate[];
  /** Blocks given because a reviewer or server was not there; they cost no attempt. */
  readonly unavailableBlocks?: number;
  /** Programs whose absence has blocked this session once; it does so no more. */
  readonly missing?: readonly string[];
  /** The fingerprint of the tree on which we gave up; empty when the tree had none. */
  readonly gaveUpOn?: string;
  /** The prompt for which a stop was put off once because agents still worked; empty where the host names no prompt. */
  readonly deferredFor?: string;
  /** What the agent last read about each gate, so that it is not repeated. */
  readonly told: Readonly<Record<string, Told>>;
}

/** A gate's failure as the agent knows it. */
export interface Told {
  /** Changes when the failure changes, not when only times and numbers in it do. */
  readonly essence: string;
  /** Fingerprints of the problems found in it. */
  readonly problems: readonly string[];
  /** In words, what became of the problems of the attempt before; absent on the first. */
  readonly since?: string;
}

/** A gate that failed and has not passed since. */
export interface OpenFailure {
  readonly gate: GateRef;
  readonly runNumber: number;
  /** What it worked on, where its command names files: committing them does not mend them. */
  readonly files?: readonly ProjectPath[];
}

/** A guard that blocked and has not let a stop go since. */
export interface OpenGate {
  readonly id: string;
  readonly runNumber: number;
}

/** All that a session must still mend. */
export function openGates({ openFailures, openGuards = [] }: SessionHistory): readonly OpenGate[] {
  return [...openFailures.map(({ gate, runNumber }) => ({ id: gateId(gate), runNumber })), ...openGuards];
}

export const NEW_SESSION: SessionHistory = { attempts: 0, openFailures: [], told: {} };

/** Nothing open, nothing spent; still the same prompt. */
export function fresh({ promptId, deferredFor, missing }: SessionHistory): SessionHistory {
  return {
    ...NEW_SESSION,
    ...(promptId === undefined ? {} : { promptId }),
    ...(deferredFor === undefined ? {} : { deferredFor }),
    ...(missing === undefined ? {} : { missing }),
  };
}

/** Whether a pass changes what is to be remembered. */
export function isSpent(session: SessionHistory): boolean {
  return session.attempts > 0 || session.gaveUpOn !== undefined || openGates(session).length > 0;
}

/** What counts of a history that something else may have written: what is left to mend, and nothing that would let a stop go. */
export function onlyOpen({ openFailures, openGuards, told }: SessionHistory): SessionHistory {
  return { ...NEW_SESSION, openFailures, told, ...(openGuards === undefined ? {} : { openGuards }) };
}

/** The history as a stop finds it: a new prompt, or another tree after giving up, starts a new budget; a pass closes failures. */
export function resumeSession(
  history: SessionHistory,
  now: { promptId?: string | undefined; fingerprint?: string | undefined; pass?: PassRecord | undefined },
): SessionHistory {
  const isOpen = ({ runNumber }: OpenGate | OpenFailure): boolean => runNumber > (now.pass?.runNumber ?? 0);
  const openFailures = history.openFailures.filter(isOpen);
  const openGuards = history.openGuards?.filter(isOpen) ?? [];
  const isNewPrompt = now.promptId !== undefined && now.promptId !== history.promptId;
  const isOtherTree = history.gaveUpOn !== undefined && !isSameTree(history.gaveUpOn, now.fingerprint);
  const { gaveUpOn, unavailableBlocks, blocks, sameFor, openGuards: _guards, ...rest } = history;
  const kept = openGuards.length === 0 ? rest : { ...rest, openGuards };
  const prompt = now.promptId === undefined ? {} : { promptId: now.promptId };
  if (isNewPrompt || isOtherTree) return { ...kept, ...prompt, attempts: 0, openFailures };
  return {
    ...kept,
    ...prompt,
    openFailures,
    ...(unavailableBlocks === undefined ? {} : { unavailableBlocks }),
    ...(blocks === undefined ? {} : { blocks }),
    ...(sameFor === undefined ? {} : { sameFor }),
    ...(gaveUpOn === undefined ? {} : { gaveUpOn }),
  };
}

/** A tree without a fingerprint is never the same as another. */
export function isSameTree(known: string | undefined, current: string | undefined): boolean {
  return known !== undefined && known !== "" && known === current;
}

/** Whether the last passed run speaks for this tree, these gates and this base. */
export function isCoveredBy(
  pass: PassRecord | undefined,
  now: {
    isPassTree: boolean;
    gateHash: string;
    baseCommit: string | undefined;
    reference: string | undefined;
  },
): pass is PassRecord {
  return (
    pass !== undefined &&
    now.isPassTree &&
    (pass.since === undefined || pass.since === now.reference) &&
    coversGates(pass.gateHash, now.gateHash) &&
    pass.baseCommit === now.baseCommit
  );
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
