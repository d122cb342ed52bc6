import type { Door } from "../stop/early-exits.ts";
import { type GateOutcome, isBlocking } from "../gates/outcome.ts";
import { type ProjectPath, projectPath } from "../path.ts";
import type { Judged } from "../run/result.ts";
import type { Status } from "../stop/status.ts";

/**
 * One verdict as the ledger keeps it: a stop that was answered or a run from the terminal. No text of the conversation, no
 * output but the names of flaky tests, no file. What a field does not know is absent; readers keep fields they do not know.
 */
export interface VerdictRecord {
  readonly at: number;
  readonly ms: number;
  readonly door: Door | TerminalCommand;
  readonly host?: string;
  /** Safe as a file name: the host's own id, or a hash of it. */
  readonly session?: string;
  /** The name of a linked work tree; the main one has none. */
  readonly worktree?: string;
  readonly status: Status;
  /** Absent for a run that is not a stop. */
  readonly decision?: "allow" | "block";
  readonly run?: number;
  readonly left?: number;
  /** Of a stop that was skipped: why, in the user's words. Not shared. */
  readonly reason?: string;
  readonly branch?: string;
  readonly commit?: string;
  /** The git tree of all files that were judged, untracked ones included. */
  readonly tree?: string;
  /** The hash of how large those files were on disk: git keeps the same of some that differ. */
  readonly sizes?: string;
  /** The commit that decided which gates the change called for. */
  readonly base?: string;
  /** The hash of the gates and of how they are chosen, as `shortGates` cuts it. */
  readonly gates?: string;
  /** A pass that speaks for the tree: every gate the change called for, on a tree that stood still meanwhile. */
  readonly whole?: true;
  /** Of such a pass: the hash of the environment that its gates saw. Not shared. */
  readonly environment?: string;
  /** Of such a pass: a person at a terminal made it. */
  readonly byUser?: true;
  readonly outcomes?: readonly RecordedOutcome[];
  /** What the verdict rests on besides gates that ran once, on this tree. */
  readonly rests?: readonly Support[];
  readonly version: string;
  /** The hash of the line before; empty on the first line there ever was. */
  readonly prev: string;
}

/** What else asks for a run: a command, a tool of the MCP server, a program that uses the library. */
export type TerminalCommand = "run" | "check" | "review" | "mcp" | "library";

/**
 * `reuse`: the same inputs passed before. `baseline`: what failed had failed before the change. `rerun`: it passed when repeated.
 * `worker`: it ran in a checkout that still held ignored files of earlier gates.
 */
export type Support = "reuse" | "baseline" | "rerun" | "worker";

export interface RecordedOutcome {
  readonly id: string;
  readonly kind: GateOutcome["kind"];
  readonly ms: number;
  readonly blocks?: true;
  readonly warns?: true;
  readonly rests?: Support;
  readonly tests?: number;
  /** The tests that failed before it passed when repeated. */
  readonly flaky?: readonly string[];
}

/** The first line of a file: what came before it is in the older file or was dropped. */
interface RotationRecord {
  readonly at: number;
  /** The hash of the file that was dropped to make room; null when there was none. */
  readonly dropped: string | null;
  readonly version: string;
  readonly prev: string;
}

export type LedgerRecord = VerdictRecord | RotationRecord;

export function isVerdict(record: LedgerRecord): record is VerdictRecord {
  return "status" in record;
}

/** What every verdict has, whatever was looked at. */
export type VerdictHead = Pick<
  VerdictRecord,
  "at" | "ms" | "door" | "host" | "session" | "worktree" | "status" | "decision" | "run" | "left"
>;

export interface VerdictFacts extends VerdictHead, Pick<VerdictRecord, "reason" | "version"> {
  readonly judged?: Judged | undefined;
  readonly outcomes: readonly GateOutcome[];
}

export function verdictRecord({ judged, outcomes, ...facts }: VerdictFacts): Unchained {
  const { gates, branch, commit, tree, sizes, base, whole, environment, byUser, reused, excused } =
    judged ?? {};
  const rests = [
    ...new Set([
      ...(reused ? (["reuse"] as const) : []),
      ...(excused ? (["baseline"] as const) : []),
      ...outcomes.flatMap((one) => supportOf(one) ?? []),
    ]),
  ];
  return {
    ...facts,
    branch,
    commit,
    tree,
    sizes,
    base,
    gates: gates === undefined ? undefined : shortGates(gates),
    whole: whole ? (true as const) : undefined,
    environment,
    byUser: byUser ? (true as const) : undefined,
    outcomes: outcomes.length === 0 ? undefined : outcomes.map(recordedOutcome),
    rests: rests.length === 0 ? undefined : rests,
  };
}

export type Unchained = Omit<VerdictRecord, "prev">;

function recordedOutcome(outcome: GateOutcome): RecordedOutcome {
  const { id, kind, durationMs } = outcome;
  const isPlain = kind === "passed" && outcome.warning === undefined;
  const blocks = isBlocking(outcome);
  return {
    id,
    kind,
    ms: Math.round(durationMs),
    blocks: blocks || undefined,
    warns: isPlain || blocks ? undefined : (true as const),
    rests: supportOf(outcome),
    tests: kind === "passed" ? outcome.tests : undefined,
    flaky: kind === "passed" ? outcome.flaky : undefined,
  };
}

/** A gate as its line in the ledger knows it, without the details that are gone. A scope may hold a colon: the id is only shown. */
export function outcomeInLedger(recorded: RecordedOutcome, logPath: ProjectPath | undefined): GateOutcome {
  const { id, kind, ms, warns, rests, flaky } = recorded;
  const [, gate = "check", scope = ".", name = id] =
    /^(check|review|repl|guard):([^:]*):(.*)$/s.exec(id) ?? [];
  const base = {
    id,
    gate: gate as GateOutcome["gate"], // one of the four
    name,
    scope: projectPath(scope),
    workingDirectory: projectPath(scope),
    warnOnly: warns === true,
    durationMs: ms,
    logPath,
  };
  const gone = gate === "guard" ? "the details are no longer kept" : "its log is no longer there";
  const detail = logPath === undefined ? gone : "its log has the details";
  if (kind === "passed") {
    if (rests === "reuse") return { ...base, kind, reused: "it had passed before" };
    const warning = gate === "guard" ? `something; ${detail}` : detail;
    return { ...base, kind, rests, flaky, warning: warns ? warning : undefined };
  }
  if (kind === "timed-out") return { ...base, kind, afterMs: ms };
  return kind === "unavailable"
    ? { ...base, kind, detail, blocks: recorded.blocks === true }
    : { ...base, kind, detail };
}

function supportOf(outcome: GateOutcome): Support | undefined {
  if (outcome.kind !== "passed") return undefined;
  return outcome.rests ?? (outcome.reused === undefined ? undefined : "reuse");
}

/** 128 bits tell gates apart, and a hundred thousand lines are read the sooner. A part of the gates (`…@event`) stays one. */
export function shortGates(gates: string): string {
  const [hash = "", ...part] = gates.split("@");
  return [hash.slice(0, 32), ...part].join("@");
}

/** A few runs say what is usual; one alone may have been a cold start. */
const RUNS_TO_TELL = 5;

/** What each gate usually takes, in milliseconds: the median of its last passes that were really run. */
export function usualTimes(newestFirst: readonly VerdictRecord[]): ReadonlyMap<string, number> {
  const times = new Map<string, number[]>();
  for (const { id, kind, ms, rests } of newestFirst.flatMap(({ outcomes }) => outcomes ?? [])) {
    const known = times.get(id) ?? [];
    if (kind === "passed" && rests === undefined && known.length < RUNS_TO_TELL)
      times.set(id, [...known, ms]);
  }
  return new Map([...times].map(([id, all]) => [id, median(all)]));
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

export interface FlakyTest {
  readonly gate: string;
  readonly test: string;
  readonly times: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

export function flakyTests(
  newestFirst: Iterable<Pick<VerdictRecord, "at" | "outcomes">>,
): readonly FlakyTest[] {
  const found = new Map<string, FlakyTest>();
  for (const { at, outcomes = [] } of newestFirst)
    for (const { id: gate, flaky } of outcomes)
      for (const test of flaky?.length === 0 ? [""] : (flaky ?? [])) {
        const key = JSON.stringify([gate, test]);
        const known = found.get(key) ?? { gate, test, times: 0, lastAt: at };
        found.set(key, { ...known, times: known.times + 1, firstAt: at });
      }
  return [...found.values()].toSorted((one, other) => other.times - one.times || other.lastAt - one.lastAt);
}
