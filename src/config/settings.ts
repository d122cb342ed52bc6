import type { CheckGate, Priority, ReviewGate } from "../gates/gate.ts";
import type { AbsolutePath, ProjectPath } from "../path.ts";
import type { StopKind, StopEvent } from "../hosts/stop-event.ts";

/** What the project asked for: YAML, environment and defaults already folded into one value. */
export interface Settings {
  /** The directory that holds `.gauntlet`; every path in the configuration is relative to it. */
  readonly root: AbsolutePath;
  readonly baseBranch: string;
  readonly logDir: ProjectPath;
  readonly maxParallel: number;
  readonly maxRetries: number;
  readonly retry: RetryPolicy;
  readonly entryPoints: readonly EntryPoint[];
  /** A shell line that installs what the checks need in a checkout of an earlier tree, where it cannot be copied. */
  readonly baselineSetup?: string;
  readonly rerunNewIssueThreshold: Priority;
  readonly stopHook: StopHookSettings;
  readonly debugLog: DebugLogSettings;
  /** A shell line that is run when we give up on a session. */
  readonly onGiveUp?: string;
  /** What is done about conduct that makes gates greener without a fix; absent where nothing is looked at. */
  readonly guards?: GuardSettings;
  /** What of the project its gates run, by name: `package.json script "test"`, `scripts/check.sh`. */
  readonly scripts: Readonly<Record<string, Script>>;
  /** What is shared with other machines; absent where nothing is. */
  readonly remote?: RemoteSettings;
  /** Changes whenever the gates or the way they are chosen change; part of every pass record. */
  readonly gateHash: string;
  /** Changes with everything that judges: gates, scripts, retries, how the hook behaves. */
  readonly definitionHash: string;
}

export interface Script {
  readonly hash: string;
  /** The gates that run it, each by entry point, kind and name. */
  readonly gates: readonly string[];
}

/** A path scope with its gates. */
export interface EntryPoint {
  /** `.`, a fixed path, `dir/*` (one job for each changed child) or a glob. */
  readonly path: string;
  readonly exclude: readonly string[];
  /** Stands for every package of the workspace; a run puts those in its place. */
  readonly isAuto?: true;
  readonly gates: readonly (CheckGate | ReviewGate)[];
}

export interface StopHookSettings {
  readonly enabled: boolean;
  readonly runIntervalMinutes: number;
  /** What a stop with the host's `stop_hook_active` set does: let it go, or keep checking under our own budget. */
  readonly whenActive: "allow" | "enforce";
  /** What a stop does while another run holds the lock: allow it, or wait for that run and then decide. */
  readonly whenBusy: "allow" | "wait";
  /** How long the host waits for the hook; we answer a little earlier. */
  readonly timeoutMs: number;
  readonly maxReasonChars: number;
  /** The events that are gated. */
  readonly on: readonly StopKind[];
  /** The types of sub-agents whose end is gated; `*` stands for all. */
  readonly agentTypes: readonly string[];
  /** Whether the agent may stop while the gates still run, and is woken when they fail; for hosts that can. */
  readonly background: boolean;
  /** What a stop does when the gates are not those the session began with: show it, or go on judging by those. */
  readonly whenGatesChange: "tell" | "hold";
  /** Whether plan mode and running background agents put the gates off. */
  readonly defer: boolean;
}

export const GUARD_NAMES = ["weakened-tests", "suppressions", "fewer-tests"] as const;
export type GuardName = (typeof GUARD_NAMES)[number];

/** `tell`: the user learns what was found. `block`: the agent must undo it or give a reason, which the user then sees. */
export type GuardSettings = Readonly<Partial<Record<GuardName, "tell" | "block">>>;

export interface DebugLogSettings {
  readonly enabled: boolean;
  readonly maxBytes: number;
}

/** What a project shares with other machines. */
export interface RemoteSettings {
  readonly cache?: CacheSettings;
  readonly workers?: WorkersSettings;
}

/** Who runs gates with `run_on: workers`. */
export interface WorkersSettings {
  /** Redis or Valkey, without credentials. */
  readonly url: string;
  /** The git repository that trees are pushed to and fetched from. */
  readonly tree: string;
  readonly fallback: "local" | "error";
  /** How long a gate may wait for a worker to take it. */
  readonly pickupMs: number;
}

/** Where passes are shared, and whose count. */
export interface CacheSettings {
  /** Without a slash at its end, and without credentials. */
  readonly url: string;
  readonly write: "never" | "ci" | "always";
  readonly trust: readonly TrustedKey[];
  readonly expiresMs: number;
  /** For all look-ups of a run together; after that the gates simply run. */
  readonly budgetMs: number;
  /** The variables that can change a result; all but those of a machine when absent. */
  readonly env?: readonly string[];
}

export interface TrustedKey {
  /** Relative to the project root. */
  readonly file: string;
  readonly pem: string;
}

/** How a red run compares with the attempt before it. */
export interface Progress {
  /** The same gates fail with the same problems. */
  readonly isSame: boolean;
  /** Something that failed before does not any more. */
  readonly isBetter: boolean;
}

/** What a project wants done about loops that go nowhere, and loops that get somewhere. */
export interface RetryPolicy {
  readonly whenStuck: "continue" | "stop";
  readonly extendOnProgress: boolean;
}

/** As many attempts in a row with the identical problems end the loop when `when_stuck` is `stop`. */
export const STUCK_AFTER = 3;

/** Why the project does not gate this event; undefined where it does. */
export function whyNotGated(
  { on, agentTypes }: StopHookSettings,
  { kind = "stop", agentType = "" }: StopEvent,
): string | undefined {
  if (!on.includes(kind)) return `stop_hook.on does not name ${kind}`;
  const isMeant = kind !== "subagent_stop" || agentTypes.some((type) => type === "*" || type === agentType);
  return isMeant ? undefined : `stop_hook.agent_types does not name ${agentType || "this sub-agent"}`;
}

/** On whose behalf gates run. */
export interface Asker {
  /** The event; absent for a run that is no stop. */
  readonly kind?: StopKind | undefined;
  /** On a build server. */
  readonly ci: boolean;
}

/**
 * The settings as one asker sees them: without the gates whose `on` does not name the event. Where gates are left out, or do not run in
 * CI or outside of it, the hash says so: a pass of these gates is not a pass of all.
 */
export function settingsFor(settings: Settings, { kind, ci }: Asker): Settings {
  const isMeant = ({ on }: CheckGate | ReviewGate): boolean =>
    kind === undefined || on === undefined || on.includes(kind);
  const runsHere = ({ runInCi, runLocally }: CheckGate | ReviewGate): boolean => (ci ? runInCi : runLocally);
  const gates = settings.entryPoints.flatMap((entryPoint) => entryPoint.gates);
  const parts = [
    ...(gates.every(runsHere) ? [] : [ci ? "ci" : "local"]),
    ...(gates.every(isMeant) ? [] : [kind]),
  ];
  if (parts.length === 0) return settings;
  const entryPoints = settings.entryPoints.map((entryPoint): EntryPoint => ({
    ...entryPoint,
    gates: entryPoint.gates.filter(isMeant),
  }));
  return { ...settings, entryPoints, gateHash: [settings.gateHash, ...parts].join(PART) };
}

const PART = "@";

/** Whether a pass of the gates with one hash speaks for those with another: they are the same, or all of them passed. */
export function coversGates(passed: string, gateHash: string): boolean {
  return gateHash === passed || gateHash.startsWith(`${passed}${PART}`);
}

/** The hash of all gates, and which part of them was asked for. */
export function partOf(gateHash: string): { readonly all: string; readonly part: string | undefined } {
  const [all = "", ...parts] = gateHash.split(PART);
  return { all, part: parts.length === 0 ? undefined : parts.join(PART) };
}

/** All that decides what a project's gates are, what they run and what follows from them. */
export type GatesDefinition = Omit<Settings, "root">;
