import { below, type NamedScript, scriptsNamedIn, splitAtAnd } from "../trust/named-scripts.ts";
import type { KnownProblem } from "./baseline.ts";

/** The text of a script; undefined where its package has none of that name. */
type ScriptOf = (script: NamedScript) => string | undefined;

/** The commands of a line of which each runs only if the one before it passed; those of package scripts that it names included. */
export function chainOf(line: string, scriptOf: ScriptOf, depth = 0): readonly string[] {
  let directory = ".";
  return splitAtAnd(line).flatMap((part) => {
    const [, goal] = /^cd\s+(\S+)$/.exec(part) ?? [];
    if (goal !== undefined) directory = below(directory, goal);
    if (PREPARES.test(part)) return [];
    const scripts = depth > MOST_DEPTH ? [] : scriptsNamedIn(part);
    const texts = scripts.flatMap((one) =>
      one.kind === "script" ? (scriptOf({ ...one, directory: below(directory, one.directory) }) ?? []) : [],
    );
    return texts.length === 0 ? [part] : texts.flatMap((text) => chainOf(text, scriptOf, depth + 1));
  });
}

const MOST_DEPTH = 5;
const PREPARES = /^(?:cd|export|unset|set|source|\.|mkdir|rm|cp|echo|true|:|test|\[|[A-Z_]+=\S*$)(?:\s|$)/;

/**
 * Whether a chain may have ended before its last command: then what that would have found is not known. It ran for certain where it
 * is the only one of its kind, linters or tests, and something of that kind was found.
 */
export function mayHideFailures(chain: readonly string[], problems: readonly KnownProblem[]): boolean {
  const last = chain.at(-1);
  if (last === undefined || chain.length === 1) return false;
  const isLast = LINTS.test(last);
  const isAlone = chain.filter((command) => LINTS.test(command) === isLast).length === 1;
  return !(isAlone && problems.some(({ test }) => (test === undefined) === isLast));
}

const LINTS =
  /\b(?:\w*lint\w*|tsc|vue-tsc|prettier|biome|ruff|black|isort|flake8|mypy|pyright|clippy|vet|fmt|\w*format\w*|typecheck|type-check|shellcheck|knip)\b/;
