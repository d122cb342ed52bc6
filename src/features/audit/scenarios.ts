import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readIfFile } from "../../system/files/files.ts";
import { splitNul } from "../../system/git/git.ts";
import type { FoundHook } from "./found-hook.ts";
import type { Isolation } from "./isolation.ts";
import { playStop, type PlayedStop } from "./play-stop.ts";
import type { Copy, Playground, Work } from "./playground.ts";
import type { Call, Mode } from "./stubs.ts";

export type ScenarioName =
  | "green"
  | "failing"
  | "untracked"
  | "committed"
  | "flood"
  | "quotes"
  | "missing-tool"
  | "missing-jq"
  | "subdirectory"
  | "without-flag";

interface Scenario {
  readonly name: ScenarioName;
  readonly mode: Mode;
  readonly work: Work;
  readonly stops: number;
  readonly path?: "withoutTools" | "withoutJq";
  readonly isInSubdirectory?: boolean;
  readonly withoutFlag?: boolean;
  readonly isWanted?: (hook: FoundHook) => boolean;
}

/** A hook that holds must let go by itself before this many. */
export const MOST_STOPS = 12;

const failing = { mode: "fail", work: "uncommitted", stops: 1 } as const;

const SCENARIOS: readonly Scenario[] = [
  { ...failing, name: "failing", stops: MOST_STOPS },
  { ...failing, name: "green", mode: "pass" },
  { ...failing, name: "untracked", work: "untracked" },
  { ...failing, name: "committed", work: "committed" },
  { ...failing, name: "flood", mode: "flood" },
  { ...failing, name: "quotes", mode: "quotes" },
  { ...failing, name: "missing-tool", path: "withoutTools" },
  { ...failing, name: "missing-jq", path: "withoutJq", isWanted: (hook) => mentions(hook, /\bjq\b/) },
  { ...failing, name: "subdirectory", isInSubdirectory: true },
  {
    ...failing,
    name: "without-flag",
    withoutFlag: true,
    isWanted: (hook) => mentions(hook, /stop_hook_active/),
  },
];

export function mentions({ command, scripts }: FoundHook, what: RegExp): boolean {
  return what.test(command) || scripts.some(({ text }) => what.test(text));
}

export interface Trial {
  readonly scenario: ScenarioName;
  readonly stops: readonly PlayedStop[];
  readonly calls: readonly Call[];
  /** Files whose content the hook changed, relative to the project; `HEAD` if it committed. */
  readonly edited: readonly string[];
}

export interface Stage {
  readonly playground: Playground;
  readonly isolation: Isolation;
  readonly signal: AbortSignal;
  readonly onScenario?: (name: ScenarioName) => void;
}

/** Every scenario in a fresh copy. Nothing more is played for a hook that gives no answer in time. */
export async function playScenarios(stage: Stage, hook: FoundHook): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  for (const scenario of SCENARIOS.filter(({ isWanted }) => isWanted?.(hook) ?? true)) {
    if (
      stage.signal.aborted ||
      trials.some(({ stops }) => stops.some(({ said }) => said.end === "timed-out"))
    )
      break;
    stage.onScenario?.(scenario.name);
    trials.push(await playScenario(stage, hook, scenario));
  }
  return trials;
}

async function playScenario(stage: Stage, hook: FoundHook, scenario: Scenario): Promise<Trial> {
  const { playground, isolation, signal } = stage;
  const sessionId = randomUUID();
  const copy = await playground.copy(scenario.work, sessionId);
  const { stubs } = playground;
  const own = hook.scripts.slice(0, 1).map((script) => basename(script.path));
  stubs.setMode(scenario.mode, copy.changed, own);
  const path = scenario.path === undefined ? stubs.path : stubs[scenario.path];
  const cwd = scenario.isInSubdirectory === true ? subdirectory(copy) : copy.root;
  const before = await contentsOf(copy);
  const stops: PlayedStop[] = [];
  let calls: readonly Call[] = [];
  for (let blockedBefore = 0; blockedBefore < scenario.stops; blockedBefore++) {
    const stop = {
      hook,
      copy,
      path,
      sessionId,
      blockedBefore,
      cwd,
      withoutFlag: scenario.withoutFlag === true,
    };
    const played = await playStop(playground, isolation, stop, signal);
    if (blockedBefore === 0) calls = relativeTo(copy, stubs.takeCalls());
    stops.push(played);
    if (!played.blocks || signal.aborted) break;
    if (blockedBefore === 0 && scenario.stops > 1) copy.changeAgain(`${sessionId} again`);
  }
  const edited = scenario.stops === 1 ? editedIn(before, await contentsOf(copy)) : [];
  copy.remove();
  return { scenario: scenario.name, stops, calls, edited };
}

function subdirectory({ root, changed }: Copy): string {
  const inner =
    changed.map((file) => dirname(file)).find((directory) => directory !== root) ?? join(root, "src");
  mkdirSync(inner, { recursive: true });
  return inner;
}

function relativeTo({ root }: Copy, calls: readonly Call[]): readonly Call[] {
  return calls.map((call) => ({
    ...call,
    cwd: call.cwd === root ? "." : call.cwd.replace(`${root}/`, ""),
    args: call.args.map((arg) => arg.replaceAll(`${root}/`, "")),
  }));
}

type Contents = ReadonlyMap<string, string | undefined>;

async function contentsOf({ git, root, changed }: Copy): Promise<Contents> {
  const [status, head] = await Promise.all([
    git.output(["status", "--porcelain", "-z", "--no-renames", "--untracked-files=no"]),
    git.output(["rev-parse", "HEAD"]),
  ]);
  const listed = status.ok ? splitNul(status.value).map((entry) => entry.slice(3)) : [];
  const files = new Set([...listed, ...changed.map((file) => file.slice(root.length + 1))]);
  return new Map([
    ...[...files].map((file) => [file, readIfFile(join(root, file)) ?? ""] as const),
    ["HEAD", head.ok ? head.value.toString() : ""],
  ]);
}

function editedIn(before: Contents, after: Contents): readonly string[] {
  const files = [...new Set([...before.keys(), ...after.keys()])];
  return files.filter((file) => before.get(file) !== after.get(file));
}
