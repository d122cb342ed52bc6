import type { Environment } from "../system/process/environment.ts";
import type { StopEvent, StopKind } from "./stop-event.ts";
import type { Verdict } from "../stop/verdict.ts";

/** One agent program: how it asks whether it may stop, and how it wants to be answered. Pure both ways. */
export interface Host {
  readonly name: string;
  /** As its maker spells it. */
  readonly title: string;
  /** The event names that mean "my agent wants to stop". */
  readonly stopEvents: readonly string[];
  /** After this many blocks in a row the host stops listening; absent: no cap seen. */
  readonly blockCap?: number;
  /** The unit of `timeout` in the host's settings files. */
  readonly timeoutUnit: "s" | "ms";
  /** How long the host waits when its settings do not say. */
  readonly defaultTimeoutMs: number;
  /** False where one key the host does not know makes it drop the whole answer. */
  readonly allowsUnknownKeys: boolean;
  /** Whether its model reads all of stderr when a stop is blocked: then nothing else may be written there. */
  readonly readsStderr?: boolean;
  /** Absent where we cannot register: an unknown host. */
  readonly registration?: Registration;
  readonly parse: (payload: Payload, surroundings: Surroundings) => ParsedStop;
  /** `event` is what is answered, where it could be read. */
  readonly render: (verdict: Verdict, event?: StopEvent) => HostAnswer;
  /** A stop as this host would send it, with every field it is known to send. */
  readonly sample: (stop: SampleStop) => Payload;
  /** What this host makes of an answer. */
  readonly take: (answer: HostAnswer) => Taken;
}

/** Where a host looks for hooks and in which form. */
export type Registration = JsonHooks | TomlHooks | PluginFile;

interface RegistrationBase {
  /** Our hooks that this host can run, by its own names for the events. */
  readonly events: HookEvents;
  /** Relative to the project root, with `/`; absent where the host reads hooks from the home directory only. */
  readonly projectFile?: string;
  /** The file of a project that is committed, where `projectFile` is personal. */
  readonly sharedFile?: string;
  /** Other files of a project where this host finds hooks; we only look there. */
  readonly otherProjectFiles?: readonly string[];
  readonly userFile: UserFile;
  /** Whether other hosts run the hooks of this file too: then the command must not name the host. */
  readonly isShared: boolean;
  /** How the host is known to be there: programs on the PATH, folders in the home directory. */
  readonly executables: readonly string[];
  readonly homeFolder: string;
  /** What the user must still do before the hook ever runs. */
  readonly afterwards?: string;
  /** Other hosts' files where this host finds hooks too, so that a second registration would fire twice. */
  readonly alsoReads: readonly AlsoRead[];
}

/** A settings file in JSON that lists hooks by event. */
export interface JsonHooks extends RegistrationBase {
  readonly format: "json";
  /** The property that holds the events. */
  readonly eventsKey: string;
  /** Whether an event lists groups (`{ hooks: [hook] }`) or the hooks themselves. */
  readonly grouped: boolean;
  /** Whether the host takes comments in the file; none of them takes trailing commas. A file it does not take is skipped silently. */
  readonly takesComments: boolean;
  /** Fields of every hook beside command and timeout. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Fields that only a hook at the end of work has. */
  readonly stopFields?: Readonly<Record<string, unknown>>;
  /** Fields that make the host run the stop hook in the background and wake the agent with the stderr of exit code 2. */
  readonly background?: Readonly<Record<string, unknown>>;
  /** What a file that we create must also say at its root. */
  readonly companion?: Readonly<Record<string, unknown>>;
}

/** A settings file in TOML with one `[[hooks]]` table for each hook. */
interface TomlHooks extends RegistrationBase {
  readonly format: "toml";
}

/** A file of our own that the host loads as code, for hosts without hook commands. */
export interface PluginFile extends RegistrationBase {
  readonly format: "plugin";
  readonly plugin: "opencode" | "pi";
}

/** What a hook of ours is for. `prompt` stands in for the start of a session where a host does not have that. */
export type HookKind = StopKind | "session_start" | "prompt" | "session_end" | "stop_failure";

type HookEvents = Readonly<Partial<Record<HookKind, string>> & { stop: string }>;

/** A file below the host's folder in the home directory, which a variable may move. */
interface UserFile {
  readonly variable?: string;
  readonly folder: string;
  readonly file: string;
}

/** The folder that a variable names instead of the one in the home directory; an empty one names none. */
export function movedFolder({ variable }: UserFile, env: Environment): string | undefined {
  return variable === undefined ? undefined : env[variable] || undefined;
}

/** Another host's registration that this host obeys: by default, or only when the user switched it on. */
interface AlsoRead {
  readonly host: string;
  readonly level: "project" | "user";
  readonly when: "always" | "opt-in";
}

/** The JSON object a host wrote to our stdin. */
export type Payload = Readonly<Record<string, unknown>>;

/** What our own process can tell beside the payload. */
export interface Surroundings {
  readonly env: Environment;
  readonly cwd: string;
}

/** A question for us, the end of a session or turn that cannot be held, or another event (a tool call): those run no gates. */
export type ParsedStop =
  | { readonly kind: "stop"; readonly event: StopEvent }
  | { readonly kind: "ended"; readonly event: StopEvent }
  | { readonly kind: "other-event"; readonly name: string };

export interface HostAnswer {
  /** Exactly one line, newline included. */
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** The facts of a made-up stop. */
export interface SampleStop {
  readonly cwd: string;
  readonly sessionId: string;
  readonly promptId: string;
  /** How many stops of this prompt were blocked before. */
  readonly blockedBefore: number;
  readonly lastMessage: string;
}

/** What happens on the host's side after an answer: only `goes-on` is a block that worked. */
export interface Taken {
  readonly agent: "goes-on" | "stops";
  readonly agentReads?: string;
  readonly personSees?: string;
  /** Why the host did not do what the answer asks. */
  readonly problem?: string;
}

/** How many blocks in a row the host honours; Claude Code lets its user move the cap (2.1.325, 2026-11-15). */
export function blockCapOf(host: Host, env: Environment): number | undefined {
  const moved = host.name === "claude-code" ? Number(env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"]) : Number.NaN;
  return Number.isInteger(moved) && moved > 0 ? moved : host.blockCap;
}
