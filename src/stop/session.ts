import type { StopEvent } from "../hosts/stop-event.ts";
import type { VerdictRecord } from "../ledger/verdict-record.ts";
import type { RecordedRun } from "../run/result.ts";
import type { Door } from "./early-exits.ts";
import { NOTHING_SPENT, type RetryState } from "./retry-state.ts";
import type { Verdict } from "./verdict.ts";

/** What is kept of one session of an agent, in the user's state directory: the agent does not work there. */
export interface Session {
  /** The project of its last stop that had one. */
  readonly root?: string;
  /** Where it began, in each project it was seen in. The first sight of a project stays. */
  readonly starts?: readonly SessionStart[];
  /** `clean` was run in its project by something that is not its user at a terminal, in milliseconds since the epoch. */
  readonly cleaned?: number;
  /** What its user seems to have said in the last prompt; its next stop finds out. */
  readonly asked?: Asked;
  /** Its user wants other tests or tool settings: those that its stops find changed until the next prompt. */
  readonly acceptsTests?: boolean;
  /** Such files, each by its name and content. */
  readonly acceptedFiles?: readonly string[];
  /** The keys of the notices that its user has been shown. */
  readonly shown: readonly string[];
  /** The same of notices that can end: those that held at the last stop in each project. */
  readonly lasting?: readonly LastingNotice[];
  /** The changed scripts for which its last stop was held up. */
  readonly held?: HeldChanges;
  /** Its last stop was blocked; with the host's flag set, the next one may read nothing but this. */
  readonly blocked?: BlockedStop;
  /** Its last stop was allowed by a project that checks continued stops, too: the block that follows may be another hook's. */
  readonly isEnforced?: boolean;
  readonly lastStop?: StopRecord;
  /** The last prompt that its user gave. */
  readonly prompt?: GivenPrompt;
  /** Prompts that ended without a stop of ours. */
  readonly unheard?: readonly UnheardPrompt[];
  /** What switched its hooks off, or would have, while it was running. */
  readonly switchedOff?: readonly SwitchedOff[];
  /** By the root of each work tree that it has stopped in. */
  readonly retries?: Readonly<Record<string, RetryState>>;
}

export const NEW_SESSION: Session = { shown: [] };

/** A change of a session: applied to what is stored at that moment, so that nobody's change is lost. */
export type SessionChange = (session: Session) => Session;

/** A project when a session was first seen in it: at the host's session start or prompt, or else at its first stop. */
export interface SessionStart {
  readonly root: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Absent without commits. */
  readonly head?: string;
  /** The work tree before the agent touched it: a tree id, or `<commit>^{tree}`. Absent if the first sight was a stop, or the tree could not be kept. */
  readonly tree?: string;
  /** The hash of the gates' definition, under which it is kept. */
  readonly gates?: string;
  /** Settings files of agents that had our stop hook. */
  readonly hooks?: readonly string[];
  /** The files that told git what to ignore. */
  readonly ignoreSettings?: readonly IgnoreSettingsFile[];
  /** The hash of the variables that give git settings. */
  readonly gitVariables?: string | undefined;
  /** The `.gitignore` files that were not in git's index. */
  readonly ignoreFiles?: readonly string[] | undefined;
  /** The hash of the environment in which the host started our first hook: an agent works in the same unless it changes it. */
  readonly environment?: string;
}

/** A file that tells git what to ignore, and what identifies its content. */
export interface IgnoreSettingsFile {
  readonly path: string;
  readonly stamp: string;
  /** Of what it says about that. */
  readonly hash: string;
}

export interface Asked {
  /** Why the next stop need not be checked. */
  readonly skip?: string;
  /** The hash of the gates that are accepted. */
  readonly accept?: string;
}

interface GivenPrompt {
  readonly id?: string | undefined;
  readonly at: number;
  readonly root: string;
  readonly transcriptPath?: string | undefined;
}

export interface UnheardPrompt {
  readonly id?: string | undefined;
  /** When it ended. */
  readonly at: number;
  readonly root: string;
  /** The likeliest cause, and what to do about it. */
  readonly why: string;
}

/** A change of the host's settings that takes effect on our hooks, in words for its user. */
interface SwitchedOff {
  readonly key: string;
  readonly text: string;
  readonly undo: string;
  readonly state: "told" | "refused" | "accepted";
}

interface LastingNotice {
  readonly root: string;
  readonly key: string;
}

interface HeldChanges {
  readonly root: string;
  /** Each by its content. */
  readonly changes: readonly string[];
  /** Blocks in a row. */
  readonly blocks: number;
  readonly promptId?: string | undefined;
}

/** What a blocked stop leaves for the next one of its session. */
interface BlockedStop {
  readonly root: string;
  readonly whenActive: "allow" | "enforce";
  readonly promptId?: string | undefined;
  /** The host's name of the session, or of a part of it. */
  readonly session?: string | undefined;
}

/** One stop from question to answer, in words that are kept: nothing of the conversation, no environment, no gate's settings. */
export interface StopRecord {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly door: Door;
  readonly event: Omit<StopEvent, "lastMessage">;
  readonly verdict: Verdict;
  /** Absent if no gate was even considered. */
  readonly run?: RecordedRun;
  /** What was written to the host. */
  readonly answer: { readonly stdout: string; readonly exitCode: number };
}

/** A stop as it is known afterwards: its line in the ledger, and the details, which are kept of the last stop of each session. */
export type PastStop =
  | { readonly line: VerdictRecord; readonly details?: undefined }
  | { readonly line: VerdictRecord; readonly details: StopRecord }
  /** Outside of projects there is no ledger, and a disk may be full. */
  | { readonly line?: undefined; readonly details: StopRecord };

export function startIn(session: Session | undefined, root: string): SessionStart | undefined {
  return session?.starts?.find((start) => start.root === root);
}

export function withStart(start: SessionStart): SessionChange {
  return (session) =>
    startIn(session, start.root) === undefined
      ? { ...session, starts: [...(session.starts ?? []), start] }
      : session;
}

/** The gates that this project's stops are compared with. */
export interface RecordedGates {
  readonly root: string;
  readonly hash: string;
}

export function withGates({ root, hash }: RecordedGates): SessionChange {
  return (session) => ({
    ...session,
    starts: session.starts?.map((one) => (one.root === root ? { ...one, gates: hash } : one)),
  });
}

/** The same, unless the user has accepted others since a stop found these starts. */
export function withGatesSince(
  gates: RecordedGates,
  found: readonly SessionStart[] | undefined,
): SessionChange {
  const before = found?.find(({ root }) => root === gates.root)?.gates;
  return (session) => (startIn(session, gates.root)?.gates === before ? withGates(gates)(session) : session);
}

/** The user wants the settings of the host that were refused: they count from their next change on. */
export function withAcceptedSettings(session: Session): Session {
  const { switchedOff } = session;
  if (switchedOff === undefined) return session;
  return { ...session, switchedOff: switchedOff.map((one) => ({ ...one, state: "accepted" })) };
}

export function retriesIn(session: Session, root: string): RetryState {
  return session.retries?.[root] ?? NOTHING_SPENT;
}

export function withRetries(root: string, state: RetryState): SessionChange {
  return (session) => ({ ...session, retries: { ...session.retries, [root]: state } });
}

export function withoutRetries(session: Session, root: string): Session {
  const { [root]: _forgotten, ...retries } = session.retries ?? {};
  return { ...session, retries };
}

/**
 * Starting over in a project gives its sessions their budgets back; `cleaned` is when something else than the user did so. If every stop
 * is enforced, the next one of a blocked agent is checked as before.
 */
export function startOver(root: string, cleaned: number | undefined) {
  return (session: Session): Session | undefined => {
    const { blocked } = session;
    const seen = [session.root, ...(session.starts ?? []).map((start) => start.root)];
    const isTold = cleaned !== undefined && seen.includes(root);
    const isBlockedHere = blocked?.root === root;
    if (!isTold && !isBlockedHere && session.retries?.[root] === undefined) return undefined;
    const over = withoutRetries(session, root);
    return {
      ...over,
      cleaned: isTold ? cleaned : over.cleaned,
      blocked: isBlockedHere ? undefined : blocked,
      isEnforced: isBlockedHere && blocked.whenActive === "enforce" ? true : over.isEnforced,
    };
  };
}

/** What the next stop may read before anything else, once gates passed, gave up or were not needed. */
export function unblocked(isEnforced: boolean): SessionChange {
  return (session) => ({ ...session, blocked: undefined, isEnforced: isEnforced || undefined });
}
