import { gateId, type GateRef } from "../gates/gate.ts";
import type { ProjectPath } from "../path.ts";
import { isSameTree, type PassRecord } from "./passes.ts";

/** What a session has spent in one work tree, and what it has left to fix there. */
export interface RetryState {
  readonly promptId?: string;
  /** Blocks given for this prompt that count against the budget. */
  readonly attempts: number;
  /** All blocks given for this prompt, where progress made some of them free. */
  readonly blocks?: number;
  /** Attempts in a row with the identical problems. */
  readonly sameFor?: number;
  readonly openFailures: readonly OpenFailure[];
  /** The guards that blocked last. They examine every change again and are never planned. */
  readonly openGuards?: readonly OpenGate[];
  /** Blocks given because a reviewer or server was not available; they cost no attempt. */
  readonly unavailableBlocks?: number;
  /** Programs whose absence has blocked this session once; it does so no more. */
  readonly missing?: readonly string[];
  /** The fingerprint of the tree on which we gave up; empty if the tree had none. */
  readonly gaveUpOn?: string;
  /** The prompt for which a stop was deferred once because agents still worked; empty if the host names no prompt. */
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
  /** The files it ran on, if its command names files: committing them does not fix them. */
  readonly files?: readonly ProjectPath[];
}

/** A guard that blocked and has not let a stop go since. */
export interface OpenGate {
  readonly id: string;
  readonly runNumber: number;
}

export const NOTHING_SPENT: RetryState = { attempts: 0, openFailures: [], told: {} };

/** All that a session must still fix. */
export function openGates({ openFailures, openGuards = [] }: RetryState): readonly OpenGate[] {
  return [...openFailures.map(({ gate, runNumber }) => ({ id: gateId(gate), runNumber })), ...openGuards];
}

/** Nothing open, nothing spent; still the same prompt. */
export function fresh({ promptId, deferredFor, missing }: RetryState): RetryState {
  return { ...NOTHING_SPENT, promptId, deferredFor, missing };
}

/** Whether a pass changes what is to be remembered. */
export function isSpent(state: RetryState): boolean {
  return state.attempts > 0 || state.gaveUpOn !== undefined || openGates(state).length > 0;
}

interface Now {
  readonly promptId?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly pass?: PassRecord | undefined;
}

/** The state as a stop finds it: a new prompt, or another tree after giving up, starts a new budget; a pass closes failures. */
export function resume(state: RetryState, now: Now): RetryState {
  const { runNumber: closed = 0, passed = [] } = now.pass ?? {};
  const openFailures = state.openFailures.filter(
    ({ gate, runNumber }) => runNumber > closed || !passed.includes(gateId(gate)),
  );
  const openGuards = state.openGuards?.filter(({ runNumber }) => runNumber > closed);
  const resumed = { ...state, promptId: now.promptId ?? state.promptId, openFailures, openGuards };
  const isNewPrompt = now.promptId !== undefined && now.promptId !== state.promptId;
  const isOtherTree = state.gaveUpOn !== undefined && !isSameTree(state.gaveUpOn, now.fingerprint);
  return isNewPrompt || isOtherTree ? withNewBudget(resumed) : resumed;
}

function withNewBudget(state: RetryState): RetryState {
  const nothing = {
    blocks: undefined,
    sameFor: undefined,
    unavailableBlocks: undefined,
    gaveUpOn: undefined,
  };
  return { ...state, attempts: 0, ...nothing };
}
