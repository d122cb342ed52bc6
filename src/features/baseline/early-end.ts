import { below } from "../../config/gauntlet/named-scripts.ts";
import type { Findings } from "./compare-findings.ts";
import type { KnownProblem } from "../../gates/outcome.ts";
import { type Runner, RUNNERS, SAYS_SO } from "./runners.ts";
import { type Chain, type ReadText, type Step, stepsOf } from "../../config/gauntlet/steps.ts";

export interface RunningCheck {
  readonly command: string;
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly read: ReadText;
}

/**
 * Why a failing check may end before it finds every problem: then an old failure may hide a new one. Judged by its command, by
 * the settings of its tools and, if it ran, by its findings.
 */
export function whyEndsEarly(check: RunningCheck, found?: Findings): string | undefined {
  if (found?.endedEarly !== undefined) return `its output says that it ended early: \`${found.endedEarly}\``;
  const { steps, chains } = stepsOf(check.command, check.directory, check.read);
  const problems = (found?.problems ?? []).map(({ problem }) => problem);
  const chain = chains.find((one) => mayHideFailures(one, problems));
  if (chain !== undefined) return chainEnded(chain);
  return steps.map((step) => runnerEnded(step, check, found)).find((why) => why !== undefined);
}

export function lineOfEarlyEnd(lines: readonly string[]): string | undefined {
  return lines.find((line) => line.length <= LONGEST_LINE && SAYS_SO.some((says) => says.test(line)))?.trim();
}

const LONGEST_LINE = 400;

/**
 * Whether a chain may have ended before its last command. It has not if the last command is the only tests and one of them
 * failed. A failed linter proves nothing: tests complain without a name too.
 */
export function mayHideFailures({ commands }: Chain, problems: readonly KnownProblem[]): boolean {
  const last = commands.at(-1);
  if (last === undefined || commands.length === 1) return false;
  const areLastTests = !LINTS.test(last) && commands.filter((command) => !LINTS.test(command)).length === 1;
  return !(areLastTests && problems.some(({ test }) => test !== undefined));
}

const LINTS =
  /\b(?:\w*lint\w*|tsc|vue-tsc|prettier|biome|ruff|black|isort|flake8|mypy|pyright|clippy|vet|fmt|\w*format\w*|typecheck|type-check|shellcheck|knip)\b/;

function chainEnded({ commands, by }: Chain): string {
  const last = (commands.at(-1) ?? "").slice(0, MOST_SHOWN_CHARS);
  const count = new Set(commands).size;
  const instead = count === 1 ? "let it go on" : `give each of its ${count} commands a check of its own`;
  const cause = by === "&&" ? "" : ` (${by})`;
  return `it ends at the first command that fails${cause}, and \`${last}\` may not have run: ${instead}`;
}

const MOST_SHOWN_CHARS = 160;

function runnerEnded(step: Step, check: RunningCheck, found: Findings | undefined): string | undefined {
  for (const runner of RUNNERS) {
    const call = callOf(runner, step, check);
    if (call === undefined) continue;
    const { name, how = "ends at its first failure", counts } = runner;
    const cause = causeIn(runner, { call, directory: step.directory, read: check.read });
    if (cause !== undefined)
      return `\`${name}\` ${how} (${cause}), and what it would have found after that is not known: ${adviceFor(runner)}`;
    if (counts === true && found !== undefined && (found.ran ?? 0) === 0)
      return `\`${name}\` says of no test that it ran`;
  }
  return undefined;
}

function adviceFor({ instead, byDefault }: Runner): string {
  if (instead !== undefined) return `add \`${instead}\``;
  return byDefault === true ? "give each part a check of its own" : "leave that out";
}

/** The command line if it calls this runner, with the options of its variable. */
function callOf({ called, variable }: Runner, { words, variables }: Step, { env }: RunningCheck) {
  const line = words.join(" ");
  const call = [withoutDirectory(line), withoutDirectory(line.replace(LAUNCHER, ""))].find((one) =>
    called.test(one),
  );
  if (call === undefined || variable === undefined) return call;
  return `${call} ${variables[variable] ?? env[variable] ?? ""}`;
}

/** Programs that only start another: `python -m`, `yarn exec`, `node node_modules/.bin/jest`. */
const LAUNCHER =
  /^(?:(?:\S*\/)?(?:python[\d.]*|coverage run)(?: -(?!m )\S+)* -m|(?:\S*\/)?(?:node|php|ruby|python[\d.]*)(?: -\S+)*|(?:npm|pnpm|yarn|bun)(?: exec| x| dlx| run)?(?: --)?|bin\/spring) /;

function withoutDirectory(line: string): string {
  return line.replace(/^\S*\/(?=[^\s/])/, "").replace(/^(\S+)\.(?:[cm]?js|phar|cmd|exe|bat)(?=\s|$)/, "$1");
}

interface Call {
  readonly call: string;
  readonly directory: string;
  readonly read: ReadText;
}

function causeIn(runner: Runner, { call, directory, read }: Call): string | undefined {
  const { stops, goesOn, settings = [], byDefault, instead } = runner;
  if (goesOn?.test(call) === true) return undefined;
  const option = stops?.exec(call)?.[0].trim();
  if (option !== undefined) return `\`${option}\``;
  for (const { files, ...setting } of settings) {
    for (const file of [...filesNamedIn(call), ...files]) {
      const texts = settingsAbove(directory, file, read);
      if (setting.goesOn?.test(texts[0] ?? "") === true) return undefined;
      const found = texts.flatMap((text) => setting.stops?.exec(text)?.slice(1) ?? []).find(Boolean);
      if (found !== undefined) return `\`${found}\` in ${file}`;
    }
  }
  if (byDefault !== true) return undefined;
  return instead === undefined ? "always" : `without \`${instead}\``;
}

function filesNamedIn(call: string): readonly string[] {
  return [...call.matchAll(/\s(?:-c|--config|--config-file|--configuration)[= ](\S+)/g)].map(
    ([, file = ""]) => file,
  );
}

/** Files of that name in a directory and above it, nearest first, without comments. */
function settingsAbove(directory: string, file: string, read: ReadText): readonly string[] {
  const parts = directory === "." ? [] : directory.split("/");
  const above = parts.map((_, index) => parts.slice(0, parts.length - index).join("/"));
  return [...above, "."]
    .flatMap((one) => read(below(one, file)) ?? [])
    .map((text) => text.replaceAll(/^[ \t]*(?:\/\/|#|;|\*|<!--).*$/gm, ""));
}
