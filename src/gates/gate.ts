import type { StopKind } from "../hosts/stop-event.ts";
import type { ProjectPath } from "../path.ts";
import type { ChangedFile } from "../system/git/change-set.ts";
import type { GuardName } from "../config/settings.ts";

/** One thing that can pass or fail. */
export type Gate = CheckGate | ReviewGate | ReplGate;

interface GateBase {
  readonly name: string;
  /** May run beside other gates; otherwise one after another. */
  readonly parallel: boolean;
  /** A failure keeps later sequential gates from starting. */
  readonly failFast: boolean;
  readonly timeoutMs: number;
  /** A failure is a warning and never blocks. */
  readonly warnOnly: boolean;
  readonly runInCi: boolean;
  readonly runLocally: boolean;
  /** Names of gates that must not have failed before it starts. */
  readonly needs?: readonly string[];
  /** The events it runs for; every gated one where nothing is said. */
  readonly on?: readonly StopKind[];
}

/** A shell command; passes when it exits with 0. */
export interface CheckGate extends GateBase {
  readonly kind: "check";
  readonly command: string;
  /** Relative to the project root; the entry point's directory when absent. */
  readonly workingDirectory?: ProjectPath;
  readonly env: Readonly<Record<string, string>>;
  /** The shell to use in place of `sh` (`cmd` on Windows). */
  readonly shell?: string;
  /** What mends what the check finds: run once before the tree is judged, when the check fails. */
  readonly fix?: string;
  /** Globs of all that can change the result; a pass holds for as long as these files are the same. */
  readonly inputs?: readonly string[];
  /** Where it runs; here when absent. */
  readonly runOn?: "workers";
  /** The platform of the workers that may run it, `linux-x64`; that of this machine when absent. */
  readonly platform?: string;
  /** Commands whose output is part of the key under which a pass is shared with other machines. */
  readonly toolchain?: readonly string[];
  /** Globs of the changed files that `{files}` in the command stands for. */
  readonly files?: readonly string[];
  /** How often a failed run is repeated before it counts; absent: never. */
  readonly reruns?: number;
  /** What is run then, in place of the command; `{failed_files}` in it stands for the files in which something failed. */
  readonly rerunCommand?: string;
  /** What to tell the agent when the check fails: the text of the configured file. */
  readonly fixInstructions?: string;
  /** The parser that reads its output, or `none`, or its own pattern; found from the output when absent. */
  readonly parser?: string | PatternParser;
  /** Only problems that were not there before the change block. */
  readonly onlyNew?: boolean;
  /** The report the command writes for machines, relative to the project root; read in place of its output. */
  readonly report?: ProjectPath;
}

/** A regular expression that reads one problem from a line: the escape for tools that no parser knows. */
export interface PatternParser {
  /** Names the groups `file` or `test`, and `line`, `column`, `severity`, `code`, `message` as far as the tool prints them. */
  readonly pattern: string;
  readonly kind: "build" | "lint" | "test";
}

export type Priority = "critical" | "high" | "medium" | "low";

/** Another model reads the change and its findings must be fixed or answered. */
export interface ReviewGate extends GateBase {
  readonly kind: "review";
  readonly prompt: string;
  /** Reviewer names in order of preference; `command:…` is any executable. */
  readonly cliPreference: readonly string[];
  readonly numReviews: number;
  readonly model?: string;
  readonly maxRounds: number;
  readonly minPriority: Priority;
  readonly onUnavailable: "warn" | "block";
}

/** An expression evaluated by a running nREPL server. */
export interface ReplGate extends GateBase {
  readonly kind: "repl";
  readonly code: string;
  readonly required: boolean;
}

/** Which gate, at which place of the project: the same check at two entry points is two gates. */
export interface GateRef {
  readonly kind: Gate["kind"];
  readonly scope: ProjectPath;
  readonly name: string;
}

/** How a gate is shown and asked for: `check:<scope>:<name>`. Never taken apart again, for a name may hold colons. */
export function gateId({ kind, scope, name }: GateRef): string {
  return `${kind}:${scope}:${name}`;
}

export function isSameGate(one: GateRef, other: GateRef): boolean {
  return one.kind === other.kind && one.scope === other.scope && one.name === other.name;
}

/** A gate at one place of the project; the same check at two entry points is planned twice. */
export interface PlannedGate {
  /** `check:<scope>:<name>`, unique within a plan and stable between runs. */
  readonly id: string;
  readonly gate: Gate;
  /** The path the gate looks after: the entry point, or the changed child of a `dir/*` entry point. */
  readonly scope: ProjectPath;
  /** Where it runs, relative to the project root. */
  readonly workingDirectory: ProjectPath;
  readonly files: readonly ChangedFile[];
  readonly reason: string;
}

/** A guard that would look at the change of a run. */
export interface PlannedGuard {
  readonly id: string;
  readonly name: GuardName;
  readonly mode: "tell" | "block";
  readonly reason: string;
}

/** Whether the names of the changed files are part of the command. */
export function takesFiles(gate: Gate): boolean {
  return gate.kind === "check" && gate.command.includes("{files}");
}

/** Whether it runs another part of its tests each time: for the changed files, or by what its command finds changed. */
export function runsAPart(gate: Gate): boolean {
  return takesFiles(gate) || (gate.kind === "check" && CHOOSES.test(gate.command));
}

const CHOOSES =
  /--(?:changed|changedSince|onlyChanged|only-changed|affected|since|lf|last-failed|findRelatedTests)\b|\baffected\b|\brelated\b/;
