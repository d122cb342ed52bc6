import picomatch from "picomatch";
import { isGlob, onOneLine } from "./entry-point.ts";
import { projectPath } from "./path.ts";

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

/** `!(a|b)` is a glob of its own. */
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
