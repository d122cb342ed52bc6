import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { kindOf } from "../system/files/files.ts";

/**
 * What a package manager's script runner, or `python -m`, says is not installed, where nothing else was said after it: in a fresh clone or
 * work tree that is no failing test. A script of the project that does not find something stays a failure.
 */
export function missingDependency(
  command: string,
  { ending, cwd }: { readonly ending: string; readonly cwd: string },
): string | undefined {
  const lines = stripVTControlCharacters(ending)
    .split(/\r?\n/)
    .filter((line) => !OF_RUNNER.test(line));
  const last = lines.at(-1) ?? "";
  const program = RUNS_SCRIPT.test(command) ? NOT_FOUND.exec(last)?.groups?.["program"] : undefined;
  if (program !== undefined) return isInstalled(program, cwd) ? undefined : program;
  const [, module] = NO_MODULE.exec(last) ?? [];
  const [, asked] = RUNS_MODULE.exec(command) ?? [];
  return module !== undefined && module === asked && !isOwnModule(module, cwd) ? module : undefined;
}

const RUNS_SCRIPT = /\b(?:npm (?:test|t|run|run-script|exec)|pnpm|yarn|bun run|npx)\b/;
const RUNS_MODULE = /\bpython[\d.]*(?: -\w+)* -m ([\w]+)/;
const NOT_FOUND =
  /^(?:\/bin\/)?(?:sh|bash): (?:(?:line )?\d+: )?(?<program>[\w@.-]+): (?:command )?not found$/;
const NO_MODULE = /python[\d.]*: No module named '?(\w+)'?$/;

/** What such a runner says after a script that failed. */
const OF_RUNNER =
  /^\s*$|^npm (?:error|ERR!|notice|warn)\b|^\s*(?:ELIFECYCLE|WARN)\b|^(?:error Command failed|info Visit)|^error: script /;

function isInstalled(program: string, directory: string): boolean {
  if (kindOf(join(directory, "node_modules/.bin", program)) !== "missing") return true;
  return dirname(directory) !== directory && isInstalled(program, dirname(directory));
}

function isOwnModule(name: string, cwd: string): boolean {
  return kindOf(join(cwd, name)) !== "missing" || kindOf(join(cwd, `${name}.py`)) !== "missing";
}
