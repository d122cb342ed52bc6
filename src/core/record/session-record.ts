import type { Door } from "../stop/early-exits.ts";
import { describeOutcome } from "../outcome.ts";
import { displayPath } from "../path.ts";
import type { Notice, Verdict } from "../stop/verdict.ts";
import type { Ran, RunResult } from "../run.ts";
import type { StopEvent } from "../stop/stop-event.ts";
import type { VerdictRecord } from "./verdict-record.ts";

/** What is kept of a session outside any project, where an agent that tidies up the project does not meet it. */
export interface SessionRecord {
  /** The project of its last stop that had one. */
  readonly root?: string;
  /** Where it began, in each project it was seen in. The first sight of a project stays. */
  readonly starts?: readonly SessionStart[];
  /** `clean` was run in its project by something that is not its user at a terminal, in milliseconds since the epoch. */
  readonly cleaned?: number;
  /** What its user seems to have said in the last prompt; its next stop finds out. */
  readonly asked?: Asked;
  /** Facts the user has been shown, each once per session. */
  readonly told: readonly string[];
  /** Its last stop was blocked; with the host's flag set, the next one may read nothing but this. */
  readonly blocked?: BlockedStop;
  /** Its last stop was allowed by a project that has continued stops checked, too: the block that follows may be another hook's. */
  readonly isEnforced?: boolean;
  readonly kept?: KeptState;
  readonly lastStop?: StopRecord;
}

/**
 * What the project's log directory holds of this session, as it was last written there. Only compared: state that something else
 * has written is reported to the user.
 */
export interface KeptState {
  readonly root: string;
  /** Relative to `root`. Absent in older records. */
  readonly logDir?: string;
  readonly digest: string;
  /** The digest of what was about to be written, by a process that may have been killed before it was. */
  readonly next?: string;
  readonly attempts: number;
  readonly open: number;
}

/** A project when a session was first seen in it: at the host's session start or prompt, or else at its first stop. */
export interface SessionStart {
  readonly root: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Absent without commits. */
  readonly head?: string;
  /** The work tree before the agent touched it: a tree id, or `<commit>^{tree}`. Absent where the first sight was a stop, or the tree could not be kept. */
  readonly tree?: string;
  /** The hash of the gates' definition, under which it is kept. */
  readonly gates?: string;
  /** Settings files of agents that had our stop hook. */
  readonly hooks?: readonly string[];
  /** The files that told git what to overlook. */
  readonly overlooking?: readonly OverlookingFile[];
}

/** A file that tells git what to overlook, and what identifies its content. */
export interface OverlookingFile {
  readonly path: string;
  readonly stamp: string;
  /** Of what it says about that. */
  readonly hash: string;
}

export function startIn(record: SessionRecord | undefined, root: string): SessionStart | undefined {
  return record?.starts?.find((start) => start.root === root);
}

export function withStart(record: SessionRecord, start: SessionStart): SessionRecord {
  if (startIn(record, start.root) !== undefined) return record;
  return { ...record, starts: [...(record.starts ?? []), start] };
}

/** A stop that was put off for background agents, of a prompt that never stopped again: nothing was checked then. */
export function unsettledStop({ lastStop }: SessionRecord, event: StopEvent): readonly Notice[] {
  if (lastStop?.verdict.status !== "deferred" || lastStop.event.permissionMode === "plan") return [];
  const { promptId } = lastStop.event;
  if (promptId === undefined || event.promptId === undefined || promptId === event.promptId) return [];
  const text =
    "The last stop was put off because background agents were still running, and its prompt never stopped again: what it changed was not checked then.";
  return [{ key: `deferred ${promptId}`, text }];
}

/** What happened to the hook and to its records behind the user's back. */
export function tamperNotices({ cleaned }: SessionRecord, unhooked: readonly string[]): readonly Notice[] {
  const clean = `Gauntlet: \`agent-gauntlet clean\` was run in this project, and not by you at a terminal. What had failed was forgotten, so everything is checked again.`;
  return [
    ...(cleaned === undefined ? [] : [{ key: `cleaned ${cleaned}`, text: clean, isFirst: true }]),
    ...unhooked.map((file) => ({ key: `unhooked ${file}`, text: removedHook(file), isFirst: true })),
  ];
}

/** Where git was told to overlook something else: what it does not see calls for no gate. */
export function overlookNotices(changed: readonly OverlookingFile[]): readonly Notice[] {
  if (changed.length === 0) return [];
  const names = changed.map(({ path }) => displayPath(path)).join(", ");
  const text = `Gauntlet: what git overlooks was changed in this session, in ${names}. Changes that git does not see are not checked.`;
  return [
    { key: `overlooks ${changed.map(({ path, hash }) => `${path} ${hash}`).join()}`, text, isFirst: true },
  ];
}

/** `file` no longer starts us. */
function removedHook(file: string): string {
  return `Gauntlet: the stop hook was removed from ${file}, or switched off there, since this session began. Without it nothing is checked; \`agent-gauntlet install\` puts it back.`;
}

/** The same with the gates that this project's stops are compared with. */
export function withGates(record: SessionRecord, { root, hash }: RecordedGates): SessionRecord {
  const starts = record.starts ?? [];
  return { ...record, starts: starts.map((one) => (one.root === root ? { ...one, gates: hash } : one)) };
}

export interface Asked {
  /** Why the next stop need not be checked. */
  readonly skip?: string;
  /** The hash of the gates that are accepted. */
  readonly accept?: string;
}

export interface RecordedGates {
  readonly root: string;
  readonly hash: string;
}

export const NEW_RECORD: SessionRecord = { told: [] };

/** Where the record is damaged. */
export function lostRecordNotices(warning: string | undefined): readonly Notice[] {
  if (warning === undefined) return [];
  const text = `Gauntlet: the record of this session is lost, and with it what the gates were when it began. ${warning}`;
  return [{ key: warning, text, isFirst: true }];
}

/** One stop from question to answer, in words that are kept: nothing of the conversation, no environment, no gate's settings. */
export interface StopRecord {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly door: Door;
  readonly event: Omit<StopEvent, "lastMessage">;
  readonly verdict: Verdict;
  /** Where gates were at least looked at. */
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

export interface RecordedRun {
  readonly number?: number;
  readonly comparedTo?: string;
  readonly files: readonly string[];
  readonly planned: readonly Reasoned[];
  readonly skipped: readonly Reasoned[];
  /** The result of each gate. */
  readonly outcomes: readonly Reasoned[];
  readonly attemptsLeft?: number;
  readonly consoleLogPath?: string;
}

export interface Reasoned {
  readonly id: string;
  readonly why: string;
}

/** Enough to see what was meant; the rest is in git. */
const MAX_FILES = 200;

export function recordedRun(result: RunResult | Pick<Ran, "plan" | "outcomes">): RecordedRun {
  const { plan } = result;
  const changes = "changes" in result ? result.changes : undefined;
  const { runNumber, attemptsLeft, consoleLogPath } = "runNumber" in result ? result : {};
  return {
    files: (changes?.files ?? []).slice(0, MAX_FILES).map(({ path }) => path),
    planned: (plan?.gates ?? []).map(({ id, reason }) => ({ id, why: reason })),
    skipped: (plan?.skipped ?? []).map(({ id, reason }) => ({ id, why: reason })),
    outcomes: result.outcomes.map((outcome) => ({ id: outcome.id, why: describeOutcome(outcome) })),
    ...(runNumber === undefined ? {} : { number: runNumber }),
    ...(changes === undefined ? {} : { comparedTo: changes.comparedTo }),
    ...(attemptsLeft === undefined ? {} : { attemptsLeft }),
    ...(consoleLogPath === undefined ? {} : { consoleLogPath }),
  };
}

/** What a blocked stop leaves for the next one of its session. */
export interface BlockedStop {
  readonly root: string;
  readonly whenActive: "allow" | "enforce";
  /** The attempts spent on this prompt: an agent that removes the log directory gets no new budget by it. */
  readonly attempts: number;
  readonly promptId?: string | undefined;
  /** The host's name of the session, or of a part of it. */
  readonly session?: string | undefined;
}
