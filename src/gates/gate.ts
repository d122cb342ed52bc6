import type { StopKind } from "../hosts/stop-event.ts";
import { displayPath, type ProjectPath } from "../path.ts";
import type { ChangedFile } from "../system/git/change-set.ts";
import type { GuardName } from "../config/settings.ts";

export type Gate = CheckGate | ReviewGate | ReplGate;

interface GateBase {
  readonly name: string;
  readonly parallel: boolean;
  /** After a failure, later sequential gates do not start. */
  readonly failFast: boolean;
  readonly timeoutMs: number;
  readonly warnOnly: boolean;
  readonly runInCi: boolean;
  readonly runLocally: boolean;
  /** Gates that must not have failed before it starts. */
  readonly needs?: readonly string[];
  /** Every gated event if undefined. */
  readonly on?: readonly StopKind[];
}

export interface CheckGate extends GateBase {
  readonly kind: "check";
  readonly command: string;
  readonly workingDirectory?: ProjectPath;
  readonly env: Readonly<Record<string, string>>;
  /** Replaces `sh` (`cmd` on Windows). */
  readonly shell?: string;
  /** Auto-fix, run once if the check fails. */
  readonly fix?: string;
  /** Globs of all inputs: a pass is reused while these files stay the same. */
  readonly inputs?: readonly string[];
  readonly runOn?: "workers";
  /** The workers' platform, `linux-x64`; by default that of this machine. */
  readonly platform?: string;
  /** Commands whose output is part of the key of a shared pass. */
  readonly toolchain?: readonly string[];
  /** Globs for `{files}` in the command. */
  readonly files?: readonly string[];
  /** Also runs for just the files of each edit, right after it. */
  readonly onEdit?: EditCheck;
  readonly reruns?: number;
  readonly rerunCommand?: string;
  readonly fixInstructions?: string;
  /** A parser's name, `none` or a pattern; by default found from the output. */
  readonly parser?: string | PatternParser;
  readonly onlyNew?: boolean;
  /** A report for machines, read in place of the output; relative to the project root. */
  readonly report?: ProjectPath;
  /** A coverage report that the command writes; relative to the project root. */
  readonly coverage?: ProjectPath;
}

export interface EditCheck {
  readonly timeoutMs: number;
  /** Whether `fix` may rewrite the edited files there. */
  readonly mayFix: boolean;
}

/** Reads one problem from a line, for tools without a parser. */
export interface PatternParser {
  /** With the groups `file` or `test`, and `line`, `column`, `severity`, `code`, `message` as far as the tool prints them. */
  readonly pattern: string;
  readonly kind: "build" | "lint" | "test";
}

export type Priority = "critical" | "high" | "medium" | "low";

export interface ReviewGate extends GateBase {
  readonly kind: "review";
  readonly prompt: string;
  /** In order of preference; `command:…` is any executable. */
  readonly cliPreference: readonly string[];
  readonly numReviews: number;
  readonly model?: string;
  /** How reviewers are called, by name. */
  readonly adapters?: Readonly<Record<string, ReviewerSettings>>;
  readonly maxRounds: number;
  readonly minPriority: Priority;
  readonly onUnavailable: "warn" | "block";
}

export interface ReviewerSettings {
  readonly model?: string;
  readonly thinkingBudget?: "off" | "low" | "medium" | "high";
  /** Whether it may read the project; if not, it sees only the change. */
  readonly mayUseTools: boolean;
}

export interface ReplGate extends GateBase {
  readonly kind: "repl";
  readonly code: string;
  readonly required: boolean;
}

export interface GateRef {
  readonly kind: Gate["kind"];
  readonly scope: ProjectPath;
  readonly name: string;
}

/** Never parsed: a name may hold colons. */
export function gateId({ kind, scope, name }: GateRef): string {
  return `${kind}:${displayPath(scope)}:${name}`;
}

export function isSameGate(one: GateRef, other: GateRef): boolean {
  return one.kind === other.kind && one.scope === other.scope && one.name === other.name;
}

export interface PlannedGate {
  /** `check:<scope>:<name>`, the same in every run. */
  readonly id: string;
  readonly gate: Gate;
  /** The entry point, or the changed child of a `dir/*` entry point. */
  readonly scope: ProjectPath;
  /** Relative to the project root. */
  readonly workingDirectory: ProjectPath;
  readonly files: readonly ChangedFile[];
  readonly reason: string;
}

export interface PlannedGuard {
  readonly id: string;
  readonly name: GuardName;
  readonly mode: "tell" | "block";
  readonly reason: string;
}

export function takesFiles(gate: Gate): boolean {
  return gate.kind === "check" && gate.command.includes("{files}");
}

/** Whether each run has another part of its tests: by `{files}`, or by what the command itself finds changed. */
export function runsAPart(gate: Gate): boolean {
  return takesFiles(gate) || (gate.kind === "check" && CHOOSES.test(gate.command));
}

const CHOOSES =
  /--(?:changed|changedSince|onlyChanged|only-changed|affected|since|lf|last-failed|findRelatedTests)\b|\baffected\b|\brelated\b/;
