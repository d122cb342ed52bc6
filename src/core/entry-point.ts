import picomatch from "picomatch";
import type { ChangedFile } from "./change-set.ts";
import { type ProjectPath, projectPath } from "./path.ts";
import type { EntryPoint } from "./settings.ts";

/** Whether a change belongs to an entry point; a renamed file belongs where it was and where it is. */
export function matches(entryPoint: EntryPoint, file: ChangedFile): boolean {
  const paths = file.from === undefined ? [file.path] : [file.path, file.from];
  const included = scopeMatcher(entryPoint.path);
  const excluded = entryPoint.exclude.map(patternMatcher);
  return paths.some((path) => included(path) && !excluded.some((isExcluded) => isExcluded(path)));
}

/** The changed children of a `dir/*` entry point, each with its changes. A file right in `dir` is nobody's child. */
export function childrenOf(
  entryPoint: EntryPoint,
  files: readonly ChangedFile[],
): ReadonlyMap<ProjectPath, readonly ChangedFile[]> {
  const children = new Map<ProjectPath, ChangedFile[]>();
  const parent = parentOf(entryPoint.path);
  for (const file of files) {
    for (const path of new Set([file.path, file.from ?? file.path])) {
      const [child, ...below] = path.slice(parent.length).split("/");
      if (!path.startsWith(parent) || below.length === 0) continue;
      const scope = projectPath(`${parent}${child}`);
      children.set(scope, [...(children.get(scope) ?? []), file]);
    }
  }
  return children;
}

export function isGlob(path: string): boolean {
  return picomatch.scan(path).isGlob;
}

type PathTest = (path: string) => boolean;

function scopeMatcher(scope: string): PathTest {
  const path = projectPath(scope);
  if (path === ".") return () => true;
  if (path === "*" || path.endsWith("/*")) return (file) => file.startsWith(parentOf(path));
  return patternMatcher(path);
}

/** A glob, or a path that stands for itself and everything below it: `app` is not `apple`. */
function patternMatcher(pattern: string): PathTest {
  const path = projectPath(pattern);
  if (isGlob(path)) return picomatch(path, { dot: true });
  return (file) => file === path || file.startsWith(`${path}/`);
}

function parentOf(scope: string): string {
  return projectPath(scope).slice(0, -1);
}
