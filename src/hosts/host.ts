import type { Environment } from "../system/process/environment.ts";
import type { StopEvent, StopKind } from "./stop-event.ts";
import type { Verdict } from "../stop/verdict.ts";

/** One agent program: how it asks and how it is answered. Pure both ways. */
export interface Host {
  readonly name: string;
  readonly title: string;
  /** Events that mean "my agent wants to stop". */
  readonly stopEvents: readonly string[];
  /** After so many blocks in a row the host stops listening; undefined if no cap was seen. */
  readonly blockCap?: number;
  /** Of `timeout` in its settings files. */
  readonly timeoutUnit: "s" | "ms";
  /** Its own time limit for a hook. */
  readonly defaultTimeoutMs: number;
  /** False if one unknown key makes it drop the whole answer. */
  readonly allowsUnknownKeys: boolean;
  /** Its model reads all of stderr when a stop is blocked: nothing else may be written there. */
  readonly readsStderr?: boolean;
  /** Undefined for an unknown host. */
  readonly registration?: Registration;
  readonly parse: (payload: Payload, surroundings: Surroundings) => ParsedStop;
  readonly render: (verdict: Verdict, event?: StopEvent) => HostAnswer;
  /** A made-up stop with every field that the host is known to send. */
  readonly sample: (stop: SampleStop) => Payload;
  /** How the host reads an answer. */
  readonly take: (answer: HostAnswer) => Taken;
}

export type Registration = JsonHooks | TomlHooks | PluginFile;

interface RegistrationBase {
  /** Our hooks by the host's own event names. */
  readonly events: HookEvents;
  /** With `/`; undefined if the host reads hooks from the home directory only. */
  readonly projectFile?: string;
  /** Committed, if `projectFile` is personal. */
  readonly sharedFile?: string;
  /** Other project files with hooks; we only read them. */
  readonly otherProjectFiles?: readonly string[];
  readonly userFile: UserFile;
  /** Other hosts run these hooks, too: the command must not name the host. */
  readonly isShared?: boolean;
  /** Signs that the host is installed: programs on the PATH, a folder in the home directory. */
  readonly executables: readonly string[];
  readonly homeFolder: string;
  /** What the user must do before the hook runs. */
  readonly afterwards?: string;
  /** Files of other hosts that it reads, too: a second registration would fire twice. */
  readonly alsoReads?: readonly AlsoRead[];
}

export interface JsonHooks extends RegistrationBase {
  readonly format: "json";
  /** An event lists groups (`{ hooks: [hook] }`), not hooks. */
  readonly grouped: boolean;
  /** A file with what the host does not take is skipped silently; none takes trailing commas. */
  readonly takesComments?: boolean;
  /** Besides command and timeout. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly stopFields?: Readonly<Record<string, unknown>>;
  /** Beside `edit`, for the tools it does not tell enough about: which ones, as a matcher. */
  readonly shellMatcher?: string;
  /** Make the host not wait for a hook whose answer it does not need. */
  readonly unawaited?: Readonly<Record<string, unknown>>;
  /** Make the host run the stop hook in the background and wake the agent with the stderr of exit code 2. */
  readonly background?: Readonly<Record<string, unknown>>;
  /** For the root of a file that we create. */
  readonly companion?: Readonly<Record<string, unknown>>;
}

/** One `[[hooks]]` table for each hook. */
interface TomlHooks extends RegistrationBase {
  readonly format: "toml";
}

/** Code that the host loads, for hosts without hook commands. */
export interface PluginFile extends RegistrationBase {
  readonly format: "plugin";
  readonly plugin: "opencode" | "pi";
}

/** `prompt` replaces the start of a session if a host does not have that. */
export type HookKind =
  | StopKind
  | "session_start"
  | "prompt"
  | "config_change"
  | "session_end"
  | "stop_failure"
  | "edit"
  | "shell_edit";

type HookEvents = Readonly<Partial<Record<HookKind, string>> & { stop: string }>;

/** Below the host's folder in the home directory, which a variable may move. */
interface UserFile {
  readonly variable?: string;
  readonly folder: string;
  readonly file: string;
}

/** An empty variable names none. */
export function movedFolder({ variable }: UserFile, env: Environment): string | undefined {
  return variable === undefined ? undefined : env[variable] || undefined;
}

/** `opt-in`: only if the user switched it on. */
interface AlsoRead {
  readonly host: string;
  readonly level: "project" | "user";
  readonly when: "always" | "opt-in";
}

export type Payload = Readonly<Record<string, unknown>>;

export interface Surroundings {
  readonly env: Environment;
  readonly cwd: string;
}

/** Only a `stop` runs gates; an ended session or turn cannot be held. */
export type ParsedStop =
  | { readonly kind: "stop"; readonly event: StopEvent }
  | { readonly kind: "ended"; readonly event: StopEvent }
  | { readonly kind: "other-event"; readonly name: string };

export interface HostAnswer {
  /** One line, newline included. */
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface SampleStop {
  readonly cwd: string;
  readonly sessionId: string;
  readonly promptId: string;
  /** Blocked stops of this prompt. */
  readonly blockedBefore: number;
  readonly lastMessage: string;
}

/** Only `goes-on` is a block that worked. */
export interface Taken {
  readonly agent: "goes-on" | "stops";
  readonly agentReads?: string;
  readonly personSees?: string;
  readonly problem?: string;
}

/** Claude Code lets its user move the cap (2.1.325, 2026-11-15). */
export function blockCapOf(host: Host, env: Environment): number | undefined {
  const moved = host.name === "claude-code" ? Number(env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"]) : Number.NaN;
  return Number.isInteger(moved) && moved > 0 ? moved : host.blockCap;
}
