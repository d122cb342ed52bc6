import { type PlannedGate, type Gate, gateId, type GateRef, takesFiles, isSameGate } from "../gates/gate.ts";
import { type ProjectPath, projectPath, displayPath } from "../path.ts";
import type { OpenFailure } from "../stop/retry-state.ts";
import type { Settings, EntryPoint } from "../config/settings.ts";
import type { ChangeSet, ChangedFile } from "../system/git/change-set.ts";
import {
  changesByScope,
  hasScope,
  fileMatcher,
  isGlob,
  mayMatchBelow,
  fixedPart,
} from "../config/entry-point.ts";
import picomatch from "picomatch";

/** Which gates run and which do not, each with its reason. */
export interface Plan {
  readonly gates: readonly PlannedGate[];
  readonly skipped: readonly SkippedGate[];
}

interface SkippedGate {
  readonly id: string;
  readonly reason: string;
}

/** What, besides the settings and the changes, decides which gates run. */
export interface PlanContext {
  readonly ci: boolean;
  readonly kinds: readonly Gate["kind"][];
  /** What the user asked for, as `gateSelector` reads it; empty means all. */
  readonly only: readonly string[];
  /** What the user wants left out, in the same words. */
  readonly without?: readonly string[];
  /** Why gates of a scope run although nothing changed in it. */
  readonly because?: ReadonlyMap<ProjectPath, string> | undefined;
  /** Gates that failed in this session and have not passed since. */
  readonly openFailures: readonly OpenFailure[];
  readonly kindOf: (path: ProjectPath) => "directory" | "file" | "missing";
  /** Files of ours that call for no gate, unless an entry point names them. */
  readonly isOwn?: (path: ProjectPath) => boolean;
}

/** Decides what runs. Pure: the same settings, changes and context always give the same plan. */
export function planGates(settings: Settings, changes: ChangeSet, context: PlanContext): Plan {
  const places = settings.entryPoints.flatMap((entryPoint) => placesOf(entryPoint, changes, context));
  const decided = uniqueById(
    places.flatMap((place) => place.entryPoint.gates.map((gate) => decide(place, gate, context))),
  );
  const known = new Set(decided.map(({ id }) => id));
  const forgotten = context.openFailures.map(({ gate }) => gateId(gate)).filter((id) => !known.has(id));
  return {
    gates: decided.filter((one) => "gate" in one),
    skipped: [
      ...decided.filter((one) => !("gate" in one)),
      ...forgotten.map((id) => ({ id, reason: "failed before, but is no longer configured" })),
    ],
  };
}

/** One scope of an entry point with what changed in it; nothing changed is a place too, so that skips have a reason. */
interface Place {
  readonly entryPoint: EntryPoint;
  readonly scope: ProjectPath;
  readonly files: readonly ChangedFile[];
}

function placesOf(
  entryPoint: EntryPoint,
  changes: ChangeSet,
  { openFailures, isOwn = () => false }: PlanContext,
): readonly Place[] {
  const isNamed = (path: ProjectPath): boolean => {
    const named = fixedPart(entryPoint.path);
    return named !== "" && `${path}/`.startsWith(`${named}/`);
  };
  const files = changes.files.filter(({ path }) => isNamed(path) || !isOwn(path));
  const changed = changesByScope(entryPoint, files);
  const failed = openFailures.filter(({ gate }) => hasGate(entryPoint, gate)).map(({ gate }) => gate.scope);
  const scopes = new Set([...changed.keys(), ...failed]);
  if (scopes.size === 0) scopes.add(projectPath(entryPoint.path));
  return [...scopes].map((scope) => ({ entryPoint, scope, files: changed.get(scope) ?? [] }));
}

function hasGate(entryPoint: EntryPoint, { kind, scope, name }: GateRef): boolean {
  return (
    entryPoint.gates.some((gate) => gate.kind === kind && gate.name === name) && hasScope(entryPoint, scope)
  );
}

function decide({ scope, files }: Place, gate: Gate, context: PlanContext): PlannedGate | SkippedGate {
  const ref = { kind: gate.kind, scope, name: gate.name };
  const id = gateId(ref);
  const stillFailing = openFailureOf(ref, context) !== undefined;
  const workingDirectory = workingDirectoryOf(scope, gate, context);
  const skip = reasonToSkip(ref, gate, context);
  if (skip !== undefined) return { id, reason: skip };
  const because = context.because?.get(scope);
  if (files.length === 0 && !stillFailing && because === undefined)
    return { id, reason: noChangeReason(scope) };
  if (workingDirectory === undefined) return { id, reason: `${displayPath(scope)} ${GONE}` };
  if (takesFiles(gate)) return decideByFiles({ id, gate, scope, workingDirectory, files }, context);
  const reason = files.length === 0 ? (because ?? FAILED_BEFORE) : changeReason(files);
  return { id, gate, scope, workingDirectory, files, reason };
}

/** Why a gate has no place to run in. */
const GONE = "no longer exists";

const FAILED_BEFORE = "failed before and has not passed since";

/** A gate that works on files runs when one is left to work on: changed or failed before, still there, and meant by its globs. */
function decideByFiles(
  planned: Omit<PlannedGate, "reason">,
  context: PlanContext,
): PlannedGate | SkippedGate {
  const { id, gate } = planned;
  const globs = gate.kind === "check" ? gate.files : undefined;
  const isMeant = globs === undefined ? () => true : fileMatcher(globs);
  const isLeft = ({ path }: ChangedFile): boolean => isMeant(path) && context.kindOf(path) === "file";
  const changed = planned.files.filter(isLeft);
  const files = [...changed, ...failedFiles(planned, changed, context).filter(isLeft)];
  const reasonToRun = changed.length === 0 ? FAILED_BEFORE : changeReason(changed);
  if (files.length > 0) return { ...planned, files, reason: reasonToRun };
  const reason =
    globs === undefined ? "no changed file is left" : `no changed file matches ${globs.join(", ")}`;
  return { id, reason };
}

function failedFiles(
  { gate, scope }: Pick<PlannedGate, "gate" | "scope">,
  changed: readonly ChangedFile[],
  context: PlanContext,
): readonly ChangedFile[] {
  const known = new Set(changed.map(({ path }) => path));
  const failed = openFailureOf({ kind: gate.kind, scope, name: gate.name }, context)?.files ?? [];
  return failed.filter((path) => !known.has(path)).map((path) => ({ path, change: "modified" }));
}

function openFailureOf(ref: GateRef, { openFailures }: PlanContext): OpenFailure | undefined {
  return openFailures.find(({ gate }) => isSameGate(gate, ref));
}

function reasonToSkip(ref: GateRef, gate: Gate, context: PlanContext): string | undefined {
  const { only, without = [] } = context;
  if (!context.kinds.includes(gate.kind)) return `only ${context.kinds.join(", ")} gates were asked for`;
  if (only.length > 0 && !gateSelector(only)(ref)) return "not asked for";
  if (without.length > 0 && gateSelector(without)(ref)) return "left out with --skip";
  if (context.ci && !gate.runInCi) return "run_in_ci is false";
  if (!context.ci && !gate.runLocally) return "run_locally is false";
  return undefined;
}

/** A file runs where it lies; a glob has no directory and runs at the root; a missing scope cannot run. */
function workingDirectoryOf(scope: ProjectPath, gate: Gate, context: PlanContext): ProjectPath | undefined {
  if (gate.kind === "check" && gate.workingDirectory !== undefined) return gate.workingDirectory;
  const kind = context.kindOf(scope);
  if (kind === "directory") return scope;
  if (kind === "file") return projectPath(scope.split("/").slice(0, -1).join("/"));
  return isGlob(scope) ? projectPath(".") : undefined;
}

function noChangeReason(scope: ProjectPath): string {
  return scope === "." ? "nothing changed" : `nothing changed in ${displayPath(scope)}`;
}

function changeReason(files: readonly ChangedFile[]): string {
  const first = displayPath(files[0]?.path ?? "");
  return files.length === 1 ? `${first} changed` : `${files.length} files changed, among them ${first}`;
}

/** One decision for each id; of two entry points that disagree, the one that runs the gate wins. */
function uniqueById(items: readonly (PlannedGate | SkippedGate)[]): readonly (PlannedGate | SkippedGate)[] {
  const byId = new Map<string, PlannedGate | SkippedGate>();
  for (const item of items) {
    const earlier = byId.get(item.id);
    if (earlier === undefined || (!("gate" in earlier) && "gate" in item)) byId.set(item.id, item);
  }
  return [...byId.values()];
}

/** Changes that call for a gate but cannot be passed to any: the user must know that they were not checked. */
export function unseenChanges(
  entryPoints: readonly EntryPoint[],
  { files }: ChangeSet,
  plan: Plan,
): readonly string[] {
  const seen = new Set(plan.gates.flatMap((planned) => planned.files.map(({ path }) => path)));
  const isMeant = ({ path }: ChangedFile): boolean =>
    entryPoints.some(
      (one) => mayMatchBelow(one.path, path) || path.startsWith(`${one.path.replace(/\/\*$/, "")}/`),
    );
  const unseen = files.filter((file) => why(file) !== undefined && !seen.has(file.path) && isMeant(file));
  const gone = plan.skipped.filter(({ reason }) => reason.endsWith(GONE));
  return [
    ...unseen.slice(0, MOST_TOLD).map((file) => `No gate looked at ${displayPath(file.path)}: ${why(file)}.`),
    ...gone.slice(0, MOST_TOLD).map(({ id, reason }) => `${displayPath(id)} did not run: ${reason}.`),
  ];
}

const MOST_TOLD = 5;

function why({ path, isRepository }: ChangedFile): string | undefined {
  if (isRepository) return "it is a repository of its own, and what changed in it is not known";
  return path.includes("\uFFFD") ? "its name is not UTF-8" : undefined;
}

/** Whether a gate is one of those asked for: by name, by id, by its path, or by a glob of one of them (`packages/*`). */
export function gateSelector(asked: readonly string[]): (ref: GateRef) => boolean {
  const matchers = asked.map(selectorOf);
  return (ref) => matchers.some((isMeant) => isMeant(ref));
}

function selectorOf(asked: string): (ref: GateRef) => boolean {
  const path = projectPath(asked);
  const isMatch = isGlob(asked) ? picomatch(asked, { dot: true }) : () => false;
  return (ref) => {
    const words = [ref.name, gateId(ref), ref.scope];
    return words.some((word) => word === asked || isMatch(word)) || ref.scope === path;
  };
}

/** Whether any gate could ever be meant, whatever has changed: the children of `packages/*` are not listed anywhere. */
export function matchesSomeGate(asked: string, entryPoints: readonly EntryPoint[]): boolean {
  return entryPoints.some((entryPoint) => {
    const scope = projectPath(entryPoint.path);
    const isMeant = selectorOf(asked);
    if (
      entryPoint.gates.some(({ kind, name }) => isMeant({ kind, scope, name }) || isIdOf(asked, kind, name))
    )
      return true;
    return hasScope(entryPoint, projectPath(asked)) || (isGlob(asked) && mayMeet(asked, entryPoint.path));
  });
}

function isIdOf(asked: string, kind: string, name: string): boolean {
  return asked.startsWith(`${kind}:`) && asked.endsWith(`:${name}`);
}

function mayMeet(glob: string, path: string): boolean {
  return isGlob(path) && fixedPart(glob) !== "" && mayMatchBelow(glob, fixedPart(path));
}
