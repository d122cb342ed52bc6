import picomatch from "picomatch";
import type { ChangedFile } from "../system/git/change-set.ts";
import { type ProjectPath, projectPath } from "../path.ts";
import { type CheckGate, gateId, type ReviewGate } from "../gates/gate.ts";
import type { EntryPoint } from "./settings.ts";

/**
 * The changes of an entry point by scope: the entry point itself, or each changed child of `dir/*`. A file that was moved
 * out of a scope is gone from there; a file directly in `dir` belongs to no child.
 */
export function changesByScope(
  entryPoint: EntryPoint,
  files: readonly ChangedFile[],
): ReadonlyMap<ProjectPath, readonly ChangedFile[]> {
  const scopeOf = scopeFinder(entryPoint);
  const scopeBelow = scopeInRepository(entryPoint);
  const changes = new Map<ProjectPath, ChangedFile[]>();
  const add = (scope: ProjectPath | undefined, file: ChangedFile): void => {
    if (scope === undefined) return;
    const own = changes.get(scope);
    if (own === undefined) changes.set(scope, [file]);
    else own.push(file);
  };
  for (const file of files) {
    const here = file.isRepository
      ? (scopeOf(projectPath(`${file.path}/any`)) ?? scopeBelow(file.path))
      : scopeOf(file.path);
    add(here, file);
    if (file.from === undefined) continue;
    const before = scopeOf(file.from);
    if (before !== here) add(before, { path: file.from, change: "deleted" });
  }
  return changes;
}

function scopeInRepository({ path }: EntryPoint): (repository: ProjectPath) => ProjectPath | undefined {
  return (repository) =>
    !isSplitByChild(path) && mayMatchBelow(path, repository) ? projectPath(path) : undefined;
}

export function mayMatchBelow(pattern: string, directory: string): boolean {
  const base = fixedPart(pattern);
  return (
    base === "" ||
    `${base}/`.startsWith(`${directory}/`) ||
    (isGlob(pattern) && directory.startsWith(`${base}/`))
  );
}

export function fixedPart(pattern: string): string {
  const parts = projectPath(pattern).split("/");
  const end = parts.findIndex((part) => part === "." || isGlob(part));
  return parts.slice(0, end === -1 ? parts.length : end).join("/");
}

export function hasScope(entryPoint: EntryPoint, scope: ProjectPath): boolean {
  if (!isSplitByChild(entryPoint.path)) return projectPath(entryPoint.path) === scope;
  return scopeFinder(entryPoint)(projectPath(`${scope}/any`)) === scope;
}

export function isGlob(path: string): boolean {
  return picomatch.scan(path).isGlob;
}

/** The scope of an entry point that a path belongs to. Made once for many paths: patterns are costly to compile. */
function scopeFinder({ path, exclude }: EntryPoint): (path: ProjectPath) => ProjectPath | undefined {
  const excluded = exclude.map(patternMatcher);
  const scopeOf = isSplitByChild(path) ? childFinder(path) : wholeFinder(path);
  return (file) => (excluded.some((isExcluded) => isExcluded(file)) ? undefined : scopeOf(file));
}

/** `dir/*` means one scope for each child; `dir/**\/*` is a glob like any other. */
function isSplitByChild(path: string): boolean {
  const [last, parent] = projectPath(path).split("/").toReversed();
  return last === "*" && parent !== "**";
}

function childFinder(pattern: string): (path: ProjectPath) => ProjectPath | undefined {
  const parent = projectPath(pattern).split("/").slice(0, -1).join("/");
  const isParentGlob = isGlob(parent) ? picomatch(parent, { dot: true }) : () => false;
  return (path) => {
    const segments = path.split("/");
    const depth = segments.slice(0, -1).findIndex((_, index) => {
      const dir = segments.slice(0, index).join("/");
      return dir === parent || isParentGlob(dir);
    });
    return depth === -1 ? undefined : projectPath(segments.slice(0, depth + 1).join("/"));
  };
}

function wholeFinder(pattern: string): (path: ProjectPath) => ProjectPath | undefined {
  const scope = projectPath(pattern);
  const isInside = scope === "." ? () => true : patternMatcher(scope);
  return (path) => (isInside(path) ? scope : undefined);
}

/**
 * A path stands for itself and everything below it: `app` is not `apple`. A glob matches files, and also the directory
 * it spells: `app/[slug]` is a real name in many projects.
 */
function patternMatcher(pattern: string): (path: string) => boolean {
  const path = projectPath(pattern);
  const isMatch = isGlob(path) ? picomatch(path, { dot: true }) : () => false;
  return (file) => file === path || file.startsWith(`${path}/`) || isMatch(onOneLine(file));
}

/** In a glob nothing matches the end of a line, and a name may hold one. */
function onOneLine(file: string): string {
  return file.replaceAll(/[\n\r\u2028\u2029]/g, "_");
}

/**
 * Whether a file is meant by any of the patterns. They start at the project root; one without a slash means a name in
 * any directory, as in `.gitignore`; a directory means everything below it; `!` before one leaves files out.
 */
export function fileMatcher(patterns: readonly string[]): (path: string) => boolean {
  const meant = patterns.filter((pattern) => !isException(pattern)).map(matcherOf);
  const leftOut = patterns.filter(isException).map((pattern) => matcherOf(pattern.slice(1)));
  return (path) =>
    (meant.length === 0 || meant.some((isMatch) => isMatch(path))) &&
    !leftOut.some((isMatch) => isMatch(path));
}

/** `!(a|b)` is a glob, not a negation. */
export function isException(pattern: string): boolean {
  return pattern.startsWith("!") && !pattern.startsWith("!(");
}

function matcherOf(pattern: string): (path: string) => boolean {
  const path = projectPath(pattern);
  if (path === ".") return () => true;
  const isMatch = isGlob(path) ? picomatch(path, { dot: true }) : () => false;
  const isNamed = path.includes("/") ? () => false : picomatch(path, { dot: true, matchBase: true });
  return (file) => {
    const line = onOneLine(file);
    return file === path || file.startsWith(`${path}/`) || isMatch(line) || isNamed(line);
  };
}

export function placeOf(path: string, gate: CheckGate | ReviewGate): string {
  return gateId({ ...gate, scope: projectPath(path) });
}
