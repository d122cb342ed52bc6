import type { FoundHook } from "./found-hook.ts";
import type { PlayedStop, ScriptLine } from "./play-stop.ts";
import { mentions, MOST_STOPS, type ScenarioName, type Trial } from "./scenarios.ts";

type VerdictName =
  | "holds"
  | "never blocks"
  | "lets go after one"
  | "never ends"
  | "misses new files"
  | "misses committed work"
  | "misses uncommitted work"
  | "breaks"
  | "floods"
  | "says nothing"
  | "edits the tree"
  | "blocks when green"
  | "no gate"
  | "not tried";

export interface HookVerdict {
  readonly name: VerdictName;
  readonly detail?: string;
  readonly line?: ScriptLine;
}

/** With one of these a hook can still hold: the agent is not let through. */
const HOLDS_ALL_THE_SAME: readonly VerdictName[] = [
  "floods",
  "says nothing",
  "edits the tree",
  "blocks when green",
];

/** What the trials of one hook say about it, the worst first. */
export function verdictsOn(hook: FoundHook, trials: readonly Trial[]): readonly HookVerdict[] {
  if (hook.untried !== undefined) return [{ name: "not tried", detail: hook.untried }];
  const played = new Map(trials.map((trial) => [trial.scenario, trial]));
  const base = baseVerdict(hook, played);
  const also = [...(base.blocks ? gaps(hook, played) : []), ...sideEffects(hook, played)];
  const lets = also.some(({ name }) => !HOLDS_ALL_THE_SAME.includes(name));
  const isHolding = base.verdict.name === "holds";
  return isHolding && lets ? also : [base.verdict, ...also];
}

/** Whether the agent is held. What is no gate is not asked to hold. */
export function holds(verdicts: readonly HookVerdict[]): boolean {
  return verdicts.some(({ name }) => name === "holds" || name === "no gate");
}

type Played = ReadonlyMap<ScenarioName, Trial>;

function firstStop(played: Played, name: ScenarioName): PlayedStop | undefined {
  return played.get(name)?.stops[0];
}

interface Base {
  readonly verdict: HookVerdict;
  /** Whether a first stop is blocked, so that other scenarios can be compared with it. */
  readonly blocks: boolean;
}

function baseVerdict(hook: FoundHook, played: Played): Base {
  const stops = played.get("failing")?.stops ?? [];
  const [first, second] = stops;
  if (hook.inert !== undefined)
    return { verdict: { name: "never blocks", detail: hook.inert }, blocks: false };
  if (first === undefined)
    return { verdict: { name: "not tried", detail: "it was interrupted" }, blocks: false };
  if (!first.blocks) return { verdict: neverBlocks(hook, played, first), blocks: false };
  const last = stops.at(-1) ?? first;
  if (second?.blocks === false)
    return {
      verdict: { name: "lets go after one", ...detail(second.why), ...lineOf(hook, second, "condition") },
      blocks: true,
    };
  if (last.blocks)
    return {
      verdict: {
        name: "never ends",
        detail: `it blocked ${MOST_STOPS} stops in a row`,
        ...lineOf(hook, last, "exit"),
      },
      blocks: true,
    };
  return { verdict: { name: "holds", detail: `${stops.length - 1} blocks, then it lets go` }, blocks: true };
}

function detail(text: string | undefined): { readonly detail?: string } {
  return text === undefined ? {} : { detail: text };
}

function neverBlocks(hook: FoundHook, played: Played, first: PlayedStop): HookVerdict {
  const name = "never blocks";
  if (firstStop(played, "without-flag")?.blocks === true)
    return {
      name,
      detail: "it looks for the name `stop_hook_active`, which every stop has, not for its value",
      ...lineOf(hook, first, "flag"),
    };
  if (firstStop(played, "committed")?.blocks === true)
    return { name: "misses uncommitted work", ...lineOf(hook, first, "changes") };
  const calls = [...played.values()].flatMap((trial) => trial.calls);
  const isMeantToBlock = mentions(
    hook,
    /exit\s*\(?\s*2\b|decision|followup_message|exit\(2|"?continue"?\s*:/,
  );
  const absent = calls.find(({ kind }) => kind === "absent");
  if (absent !== undefined)
    return { name: "not tried", detail: `it needs ${absent.args.join(" ")}, which is not installed here` };
  const isGate = isMeantToBlock || calls.some(({ kind }) => kind === "check");
  if (!isGate && first.said.exitCode > 125)
    return {
      name: "not tried",
      detail: `it exits with ${first.said.exitCode}: a program that it starts is missing here`,
    };
  if (!isGate)
    return calls.length === 0
      ? { name: "no gate", detail: "it runs no check, and nothing in it could block" }
      : { name: "no gate", detail: "it only edits files" };
  if (first.why !== undefined) return { name, detail: first.why, ...lineOf(hook, first, wordsIn(first)) };
  const ran = played.get("failing")?.calls.some(({ kind }) => kind === "check") === true;
  if (ran) return { name, detail: "a check fails, and it exits with 0", ...lineOf(hook, first, "exit") };
  return { name: "not tried", detail: "it ran no check in the copies", ...lineOf(hook, first, "condition") };
}

function wordsIn({ why = "" }: PlayedStop): Wanted {
  return why.includes("JSON") || why.includes("continue") || why.includes("decision") ? "json" : "exit";
}

function gaps(hook: FoundHook, played: Played): readonly HookVerdict[] {
  const lets = (name: ScenarioName): PlayedStop | undefined => {
    const stop = firstStop(played, name);
    return stop === undefined || stop.blocks ? undefined : stop;
  };
  const found: HookVerdict[] = [];
  const untracked = lets("untracked");
  if (untracked !== undefined)
    found.push({ name: "misses new files", ...lineOf(hook, untracked, "changes") });
  const committed = lets("committed");
  if (committed !== undefined)
    found.push({ name: "misses committed work", ...lineOf(hook, committed, "changes") });
  for (const [name, what] of BREAKS) {
    const stop = lets(name);
    if (stop === undefined) continue;
    const why = stop.why === undefined ? "" : `: ${stop.why}`;
    found.push({
      name: "breaks",
      detail: `${what}${why}`,
      ...lineOf(hook, stop, stop.why === undefined ? "condition" : wordsIn(stop)),
    });
  }
  return found;
}

const BREAKS: readonly (readonly [ScenarioName, string])[] = [
  ["quotes", "on quotes, backslashes and line breaks"],
  ["flood", "on 80 kB of output"],
  ["missing-tool", "on a missing tool"],
  ["missing-jq", "without jq"],
  ["subdirectory", "in a subdirectory"],
];

/** Claude Code shows the agent all of it; other versions and hosts cut it, or the agent's context fills up. */
const MOST_READ = 10_000;

function sideEffects(hook: FoundHook, played: Played): readonly HookVerdict[] {
  const found: HookVerdict[] = [];
  const flood = firstStop(played, "flood");
  if (flood?.blocks === true && flood.reason.length > MOST_READ)
    found.push({
      name: "floods",
      detail: `the agent reads ${flood.reason.length.toLocaleString("en")} characters`,
    });
  const failing = firstStop(played, "failing");
  if (failing?.blocks === true && failing.reason === "")
    found.push({
      name: "says nothing",
      detail: "of exit code 2 the agent reads stderr, which is empty",
      ...lineOf(hook, failing, "exit"),
    });
  const edited = new Set([
    ...(played.get("green")?.edited ?? []),
    ...(played.get("untracked")?.edited ?? []),
  ]);
  if (edited.size > 0)
    found.push({ name: "edits the tree", detail: editedInWords([...edited]), ...fixerLine(hook) });
  const green = firstStop(played, "green");
  if (green?.blocks === true)
    found.push({
      name: "blocks when green",
      ...detail(firstLine(green.reason)),
      ...lineOf(hook, green, "exit"),
    });
  return found;
}

function editedInWords(files: readonly string[]): string {
  if (files.includes("HEAD")) return "it commits";
  const [first = "", ...rest] = files;
  return rest.length === 0 ? first : `${first} and ${rest.length} more`;
}

function firstLine(text: string): string | undefined {
  return text
    .split("\n")
    .find((line) => line.trim() !== "")
    ?.trim()
    .slice(0, 80);
}

type Wanted = "exit" | "condition" | "flag" | "changes" | "json";

const WORDS: Readonly<Record<Exclude<Wanted, "exit" | "condition">, RegExp>> = {
  flag: /stop_?hook_?active/i,
  changes: /git (?:-C \S+ )?(?:diff|status|ls-files|log|rev-list)|changed/i,
  json: /decision|continue|followup_message/,
};

/** The line that decided: of those that bash says it read, else one that looks like it. */
function lineOf(
  { scripts }: FoundHook,
  { lines, said }: PlayedStop,
  wanted: Wanted,
): { readonly line?: ScriptLine } {
  if (lines.length === 0 && said.exitCode > 125) return {}; // it did not even start
  if (wanted !== "exit" && wanted !== "condition") {
    const traced = lines.find(({ text }) => WORDS[wanted].test(text) && !text.startsWith("#"));
    const line = traced ?? searched(scripts, WORDS[wanted]);
    if (line !== undefined) return { line };
  }
  const line =
    wanted === "exit"
      ? lines.findLast(({ text }) => text !== "}" && text !== "fi")
      : lines.findLast(({ text }) => !/^(?:exit|return|fi|done|esac|\}|#|$)/.test(text));
  const guess =
    line ?? (wanted === "condition" ? searched(scripts, WORDS.flag) : searched(scripts, /exit\s*\(?\s*[02]/));
  return guess === undefined ? {} : { line: guess };
}

function searched(scripts: FoundHook["scripts"], words: RegExp): ScriptLine | undefined {
  for (const { path, text } of scripts) {
    const lines = text.split("\n");
    const at = lines.findIndex((line) => words.test(line) && !/^\s*(?:#|\/\/|\*)/.test(line));
    if (at !== -1) return { file: path, line: at + 1, text: lines[at]?.trim() ?? "" };
  }
  return undefined;
}

function fixerLine({ scripts }: FoundHook): { readonly line?: ScriptLine } {
  const line = searched(
    scripts,
    /--write|--fix|\bfmt\b|\bformat\b|gofmt -w|\bblack\b|rustfmt|git (?:add|commit|stash|checkout|restore)/,
  );
  return line === undefined ? {} : { line };
}
