import { loadSettings } from "../../config/gauntlet/load.ts";
import { absolutePath } from "../../path.ts";
import type { Prompt } from "../../report/prompt.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import { CONFIG_FILE } from "../../system/files/find-project.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import { explain } from "../../trouble.ts";
import { counted, formatDuration } from "../../words.ts";
import { elapsedMs } from "../../system/clock.ts";
import { type Decisions, type NewConfig, withDecisions } from "../plan-config.ts";
import { type Blind, findBlind } from "./find-blind.ts";
import { readyTrials, runTrial, type Trial, trialAt, trialsOf, type Tried } from "./run-trial.ts";

/** Runs every proposed check once, so that the first stop brings no surprise. Undefined if the user ended it. */
export async function tryChecks(
  config: NewConfig,
  terminal: Terminal,
  prompt: Prompt | undefined,
): Promise<NewConfig | undefined> {
  using cancel = cancellation();
  const signal = prompt === undefined ? cancel.signal : AbortSignal.any([cancel.signal, prompt.closed]);
  printLine(terminal.stdout, "Trying each check once...");
  const tried = await tryEach(trialsOf(config.scopes), terminal, signal);
  const blind = await tellBlind(tried, terminal, signal);
  const onlyNew = mayBeOnlyNew(tried, config);
  const isWanted = onlyNew.length === 0 || (await wantsOnlyNew(onlyNew, terminal, prompt));
  if (signal.aborted) return undefined;
  printLine(terminal.stdout);
  return withDecisions(config, decide({ tried, blind, onlyNew: isWanted ? onlyNew : [] }));
}

/** The same for a configuration that exists, of which nothing is changed. */
export async function tryConfigured(terminal: Terminal): Promise<void> {
  using cancel = cancellation();
  const { signal } = cancel;
  const loaded = await loadSettings(absolutePath(terminal.cwd), terminal.env);
  if (!loaded.ok) return printLine(terminal.stderr, explain(loaded.trouble));
  const trials = loaded.value.settings.entryPoints.flatMap(({ path, gates }) =>
    gates.flatMap((gate) => {
      const isTried = gate.kind === "check" && !gate.command.includes("{files}");
      return isTried ? [trialAt(gate, gate.workingDirectory ?? (/[*?[{!]/.test(path) ? "." : path))] : [];
    }),
  );
  printLine(terminal.stdout, "Trying each check once...");
  const tried = await tryEach(trials, terminal, signal);
  await tellBlind(tried, terminal, signal);
  for (const one of tried)
    if (one.kind === "fails" && one.notOnlyNew === undefined)
      printLine(
        terminal.stdout,
        `To let ${one.check.name} block only for new problems, set \`only_new: true\` in ${CONFIG_FILE}.`,
      );
}

async function tryEach(
  trials: readonly Trial[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<readonly Tried[]> {
  const all: Tried[] = [];
  const began = elapsedMs();
  const { ready, notReady } = readyTrials(trials, terminal.cwd);
  if (notReady !== undefined) printLine(terminal.stdout, `! ${notReady}`);
  for (const trial of ready) {
    if (signal.aborted) break;
    const tried = await runTrial(trial, terminal, signal);
    all.push(tried);
    for (const line of describeTried(tried, terminal)) printLine(terminal.stdout, line);
  }
  const tookMs = elapsedMs() - began;
  if (tookMs > NOTICED_MS && !signal.aborted) printLine(terminal.stdout, runAheadHint(tookMs));
  return all;
}

/** A wait that people notice at every stop. */
const NOTICED_MS = 2_000;

function runAheadHint(tookMs: number): string {
  return `Together they take ${formatDuration(Math.round(tookMs))}. To run them while the agent works, so that stops need not wait, set \`run_ahead: true\` in ${CONFIG_FILE}.`;
}

/** One line for the result, then what there is to know of it. */
export function describeTried(tried: Tried, { colours }: Pick<Terminal, "colours">): readonly string[] {
  const { title, took, check } = tried;
  if (tried.kind === "passes")
    return [
      `${colours.green("✓")} ${title} passes (${took})`,
      ...whatItWrites(tried).map((line) => `    ${line}`),
    ];
  const { how, digest, notOnlyNew, isRunnable } = tried;
  const advice =
    notOnlyNew === undefined || !isRunnable
      ? []
      : [`To let ${check.name} block only for new problems, change its command first: ${notOnlyNew}.`];
  const more = [...digest, ...advice].map((line) => `    ${line}`);
  return [`${colours.red("✗")} ${title} ${how} (${took}): ${check.command}`, ...more];
}

function whatItWrites({ edited, created }: Extract<Tried, { kind: "passes" }>): readonly string[] {
  const lines: string[] = [];
  if (edited.length > 0)
    lines.push(`It edits ${some(edited)}: let its command only check, and set what edits as its \`fix\`.`);
  if (created.length > 0)
    lines.push(`It leaves ${some(created)}, a change at every stop: add a line for that to .gitignore.`);
  return lines;
}

function some(files: readonly string[]): string {
  const [first = ""] = files;
  return files.length === 1 ? first : `${first} and ${counted(files.length - 1, "more file")}`;
}

async function tellBlind(
  tried: readonly Tried[],
  { stdout, ...terminal }: Terminal,
  signal: AbortSignal,
): Promise<readonly Blind[]> {
  const passing = tried.filter(({ kind }) => kind === "passes");
  const blind = await findBlind(passing, { stdout, ...terminal }, signal);
  if (typeof blind === "string") {
    printLine(stdout, `! Whether they find an error was not tried: ${blind}.`);
    return [];
  }
  for (const one of blind) printLine(stdout, `! ${describeBlind(one)}`);
  return blind;
}

export function describeBlind({ trial, files }: Blind): string {
  return `${trial.title} is blind: it stays green with an error in ${files === 1 ? "the one file" : `each of ${files} files`} that it may read.`;
}

/** Outside git there is no earlier tree to compare with. */
export function mayBeOnlyNew(tried: readonly Tried[], { isInGit }: NewConfig): readonly string[] {
  const failing = tried.flatMap((one) => (one.kind === "fails" ? [one] : []));
  const hopeless = new Set(failing.filter(({ notOnlyNew }) => notOnlyNew !== undefined).map(nameOf));
  return isInGit ? [...new Set(failing.map(nameOf))].filter((name) => !hopeless.has(name)) : [];
}

function nameOf({ check }: Trial): string {
  return check.name;
}

/** A check that is red already would block every stop for what no agent has done. Without a person it is decided so. */
async function wantsOnlyNew(
  red: readonly string[],
  { stdout }: Terminal,
  prompt: Prompt | undefined,
): Promise<boolean> {
  const isOrAre = red.length === 1 ? "is" : "are";
  if (prompt !== undefined)
    return (
      (await prompt.ask(
        `${red.join(", ")} ${isOrAre} red already. Block only for new problems (\`only_new\`)?`,
        "yes",
      )) === "yes"
    );
  printLine(
    stdout,
    `! ${red.join(", ")} ${isOrAre} red already, so only new problems block (\`only_new: true\`).`,
  );
  return true;
}

interface Found {
  readonly tried: readonly Tried[];
  readonly blind: readonly Blind[];
  readonly onlyNew: readonly string[];
}

export function decide({ tried, blind, onlyNew }: Found): Decisions {
  const doubts = new Map<string, string>();
  for (const one of tried)
    if (one.kind === "fails" && !onlyNew.includes(one.check.name))
      doubts.set(one.check.name, one.isRunnable ? `${one.how} already` : one.how);
  const places = (name: string): number => tried.filter(({ check }) => check.name === name).length;
  for (const { trial } of blind) {
    const { name } = trial.check;
    if (blind.filter((one) => one.trial.check.name === name).length === places(name))
      doubts.set(name, "it stays green with an error in the files");
  }
  return { onlyNew, doubts };
}
