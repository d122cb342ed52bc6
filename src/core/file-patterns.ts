import picomatch from "picomatch";
import { isGlob } from "./entry-point.ts";
import { projectPath } from "./path.ts";

/**
 * Whether a file is meant by any of the patterns. They start at the project root; one without a slash means a name in
 * any directory, as in `.gitignore`; a directory means everything below it.
 */
export function fileMatcher(patterns: readonly string[]): (path: string) => boolean {
  const matchers = patterns.map(matcherOf);
  return (path) => matchers.some((isMatch) => isMatch(path));
}

function matcherOf(pattern: string): (path: string) => boolean {
  const path = projectPath(pattern);
  if (path === ".") return () => true;
  const isMatch = isGlob(path) ? picomatch(path, { dot: true }) : () => false;
  const isNamed = path.includes("/") ? () => false : picomatch(path, { dot: true, matchBase: true });
  return (file) => file === path || file.startsWith(`${path}/`) || isMatch(file) || isNamed(file);
}
