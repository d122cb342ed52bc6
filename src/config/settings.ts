import type { CheckGate, Priority, ReviewGate } from "../gates/gate.ts";
import type { AbsolutePath, ProjectPath } from "../path.ts";
import type { StopKind, StopEvent } from "../hosts/stop-event.ts";

export interface Settings extends GatesDefinition {
  readonly root: AbsolutePath;
}

/** Everything that decides which gates a project has, what they run and what follows from them. */
export interface GatesDefinition {
  readonly baseBranch: string;
  readonly logDir: ProjectPath;
  readonly maxParallel: number;
  readonly maxRetries: number;
  readonly retry: RetryPolicy;
  readonly entryPoints: readonly EntryPoint[];
  readonly baselineSetup?: string;
  readonly rerunNewIssueThreshold: Priority;
  readonly stopHook: StopHookSettings;
  readonly debugLog: DebugLogSettings;
  readonly onGiveUp?: string;
  readonly guards?: GuardSettings;
  /** Globs of files that no guard says anything about. */
  readonly guardsIgnore?: readonly string[];
  readonly protectedFiles?: ProtectedFileSettings;
  /**
   * Scripts of the project that its gates run, by name: `package.json script "test"`, `scripts/check.sh`.
   */
  readonly scripts: Readonly<Record<string, Script>>;
  readonly remote?: RemoteSettings;
  readonly runAhead?: RunAheadSettings;
  /** Changes whenever the gates or the way they are chosen change; part of every pass record. */
  readonly gateHash: string;
  /** Changes with everything that decides how work is checked: gates, scripts, retries, the stop hook. */
  readonly definitionHash: string;
}

export interface Script {
  readonly hash: string;
  readonly gates: readonly string[];
}

export interface EntryPoint {
  /** `.`, a fixed path, `dir/*` (one job for each changed child) or a glob. */
  readonly path: string;
  readonly exclude: readonly string[];
  /** Represents every package of the workspace; a run replaces it with those. */
  readonly isAuto?: true;
  readonly gates: readonly (CheckGate | ReviewGate)[];
}

export interface StopHookSettings {
  readonly enabled: boolean;
  readonly runIntervalMinutes: number;
  /**
   * A stop with the host's `stop_hook_active`: allow it, or keep checking until our own retries are used up.
   */
  readonly whenActive: "allow" | "enforce";
  /** A stop while another run holds the lock: allow it, or wait for that run and then decide. */
  readonly whenBusy: "allow" | "wait";
  /** How long the host waits for the hook; it answers a little earlier. */
  readonly timeoutMs: number;
  readonly maxReasonChars: number;
  readonly on: readonly StopKind[];
  readonly agentTypes: readonly string[];
  /** Whether the agent may stop while the gates run, and is woken if they fail; only some hosts can. */
  readonly background: boolean;
  /**
   * If the gates differ from those the session began with: show the difference, or keep using the old ones.
   */
  readonly whenGatesChange: "tell" | "hold";
  readonly defer: boolean;
}

/** Gates that run in the background while the agent works. */
export interface RunAheadSettings {
  /** How long the files must be still. */
  readonly afterMs: number;
  /** Every check if undefined. */
  readonly gates?: readonly string[];
  readonly maxParallel?: number;
  /** At low priority. */
  readonly nice: boolean;
  /** How long it waits for another edit. */
  readonly idleMs: number;
  readonly maxPerMinute: number;
}

export const GUARD_NAMES = [
  "weakened-tests",
  "suppressions",
  "fewer-tests",
  "original-tests",
  "unproven-tests",
  "untested-changes",
] as const;
export type GuardName = (typeof GUARD_NAMES)[number];

/** `tell`: the user learns what was found. `block`: the agent must undo it or give a reason, which the user then sees. */
export type GuardSettings = Readonly<Partial<Record<GuardName, "tell" | "block">>>;

/** Globs on top of the table of protected files, and of files that are none. */
export interface ProtectedFileSettings {
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

export interface DebugLogSettings {
  readonly enabled: boolean;
  readonly maxBytes: number;
}

export interface RemoteSettings {
  readonly cache?: CacheSettings;
  readonly workers?: WorkersSettings;
}

export interface WorkersSettings {
  readonly url: string;
  readonly tree: string;
  readonly fallback: "local" | "error";
  readonly pickupMs: number;
}

export interface CacheSettings {
  readonly url: string;
  readonly write: "never" | "ci" | "always";
  readonly trust: readonly TrustedKey[];
  readonly expiresMs: number;
  readonly budgetMs: number;
  /** The variables that can change a result; undefined means all but those of a machine. */
  readonly env?: readonly string[];
}

export interface TrustedKey {
  readonly file: string;
  readonly pem: string;
}

export interface Progress {
  readonly isSame: boolean;
  readonly isBetter: boolean;
}

export interface RetryPolicy {
  readonly whenStuck: "continue" | "stop";
  readonly extendOnProgress: boolean;
}

/** With `when_stuck: stop`, this many attempts in a row with identical problems end the loop. */
export const STUCK_AFTER = 3;

export function whyNotGated(
  { on, agentTypes }: StopHookSettings,
  { kind = "stop", agentType = "" }: StopEvent,
): string | undefined {
  if (!on.includes(kind)) return `stop_hook.on does not name ${kind}`;
  const isMeant = kind !== "subagent_stop" || agentTypes.some((type) => type === "*" || type === agentType);
  return isMeant ? undefined : `stop_hook.agent_types does not name ${agentType || "this sub-agent"}`;
}

export interface Asker {
  readonly kind?: StopKind | undefined;
  readonly ci: boolean;
}

/**
 * The settings without the gates whose `on` does not name the event. If gates are left out, or do not run
 * here, the hash differs: a pass of some gates is not a pass of all.
 */
export function settingsFor(settings: Settings, { kind, ci }: Asker): Settings {
  const isMeant = ({ on }: CheckGate | ReviewGate): boolean =>
    kind === undefined || on === undefined || on.includes(kind);
  const runsHere = ({ runInCi, runLocally }: CheckGate | ReviewGate): boolean => (ci ? runInCi : runLocally);
  const gates = settings.entryPoints.flatMap((entryPoint) => entryPoint.gates);
  const parts: string[] = [];
  if (!gates.every(runsHere)) parts.push(ci ? "ci" : "local");
  if (kind !== undefined && !gates.every(isMeant)) parts.push(kind);
  if (parts.length === 0) return settings;
  const entryPoints = settings.entryPoints.map((entryPoint): EntryPoint => ({
    ...entryPoint,
    gates: entryPoint.gates.filter(isMeant),
  }));
  return { ...settings, entryPoints, gateHash: [settings.gateHash, ...parts].join(PART) };
}

const PART = "@";

/** True if both are the same gates, or all gates passed. */
export function coversGates(passed: string, gateHash: string): boolean {
  return gateHash === passed || gateHash.startsWith(`${passed}${PART}`);
}

export function partOf(gateHash: string): { readonly all: string; readonly part: string | undefined } {
  const [all = "", ...parts] = gateHash.split(PART);
  return { all, part: parts.length === 0 ? undefined : parts.join(PART) };
}
