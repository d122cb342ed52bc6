import { type Node, getNodeValue } from "jsonc-parser";
import {
  type SettingsProblem,
  findProperty,
  isNode,
  parseSettings,
  properties,
} from "./files/settings-file.ts";
import { BACKGROUND_FLAG } from "../hosts/protocol.ts";
import type { HookKind, Host, JsonHooks, Registration } from "../hosts/host.ts";
import { EDIT_HOOK, isOurCommand, STOP_HOOK, type Subcommand } from "./hook-command.ts";

export interface HookRegistration {
  readonly file: string;
  readonly hooks: readonly RegisteredHook[];
  readonly isOurs: (command: string) => boolean;
  /** One of ours that is not exactly as registered is replaced; otherwise only its command is corrected. */
  readonly exact?: boolean;
  /** Ours that must be rewritten because of how it runs, not only what it runs. */
  readonly isStale?: (found: FoundHook) => boolean;
  readonly shape: HookShape;
}

export interface RegisteredHook {
  readonly event: string;
  readonly command: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Which tools it is about, if not all. */
  readonly matcher?: string | undefined;
}

export interface HookShape {
  readonly eventsKey?: string;
  /** Whether an event lists groups (`{ hooks: [hook] }`) or the hooks themselves. */
  readonly grouped: boolean;
  readonly commandKey: string;
  /** What a file must also say at its root; written only into a file that we create, behind the events. */
  readonly companion?: Readonly<Record<string, unknown>>;
  /** Whether the host refuses a file with comments or trailing commas; we keep them all the same. */
  readonly isStrictJson?: boolean;
}

export type FileChange =
  | { readonly kind: "unchanged" }
  | { readonly kind: "written"; readonly text: string }
  | { readonly kind: "removed" };

export interface FoundHook {
  readonly event: string;
  readonly node: Node;
  readonly commandNode: Node;
  readonly command: string;
}

/** Ours in every event, in the order of the file; whatever has an unknown shape is not ours. */
export function findOurHooks(body: string, { shape, isOurs }: HookRegistration): readonly FoundHook[] {
  const parsed = parseSettings(body);
  if (!parsed.ok || parsed.root === undefined) return [];
  const events = findEvents(parsed.root, shape);
  if (!isNode(events) || events.type !== "object") return [];
  return properties(events)
    .flatMap(({ key: event, value: list }) => elements(list).map((entry) => ({ event, entry })))
    .flatMap(({ event, entry }) => hooksOf(entry).map((node) => ({ event, node })))
    .flatMap(({ event, node }) => withCommand(event, node, shape))
    .filter((found) => isOurs(found.command));
}

export function findEvents(root: Node, { eventsKey }: HookShape): Node | SettingsProblem | undefined {
  return eventsKey === undefined ? root : findProperty(root, eventsKey);
}

function hooksOf(entry: Node): readonly Node[] {
  const group = entry.type === "object" ? findProperty(entry, "hooks") : undefined;
  return isNode(group) ? elements(group) : [entry];
}

function elements(node: Node): readonly Node[] {
  return node.type === "array" ? (node.children ?? []) : [];
}

function withCommand(event: string, node: Node, shape: HookShape): readonly FoundHook[] {
  const commandNode = node.type === "object" ? findProperty(node, shape.commandKey) : undefined;
  if (!isNode(commandNode) || commandNode.type !== "string") return [];
  return [{ event, node, commandNode, command: String(getNodeValue(commandNode)) }];
}

/** How long we ask every host to wait at the end of work; our own deadline lies before it. */
export const HOOK_TIMEOUT_MS = 300_000;

/** What each hook runs, and how long the host is asked to wait for it. */
const RUNS: Readonly<Record<HookKind, { readonly subcommand: Subcommand; readonly timeoutMs: number }>> = {
  session_start: { subcommand: "session-start", timeoutMs: 30_000 },
  prompt: { subcommand: "prompt-hook", timeoutMs: 30_000 },
  config_change: { subcommand: "config-hook", timeoutMs: 30_000 },
  stop: { subcommand: STOP_HOOK, timeoutMs: HOOK_TIMEOUT_MS },
  subagent_stop: { subcommand: STOP_HOOK, timeoutMs: HOOK_TIMEOUT_MS },
  task_completed: { subcommand: STOP_HOOK, timeoutMs: HOOK_TIMEOUT_MS },
  teammate_idle: { subcommand: STOP_HOOK, timeoutMs: HOOK_TIMEOUT_MS },
  stop_failure: { subcommand: STOP_HOOK, timeoutMs: HOOK_TIMEOUT_MS },
  session_end: { subcommand: STOP_HOOK, timeoutMs: HOOK_TIMEOUT_MS },
  edit: { subcommand: EDIT_HOOK, timeoutMs: 60_000 },
  shell_edit: { subcommand: EDIT_HOOK, timeoutMs: 60_000 },
};

export interface WantedEvents {
  readonly hooks: readonly HookKind[];
  readonly isBackground?: boolean;
  /** Whether the agent waits for what a hook says about its edits. */
  readonly isEditAwaited?: boolean;
}

export interface WantedHooks extends WantedEvents {
  readonly command: string;
}

export interface HostHook {
  readonly kind: HookKind;
  readonly event: string;
  readonly command: string;
  readonly timeout: number;
}

const STOP_HOOK_WORD = /\bstop-hook(?=$| --only-allowed$)/;

export function hostHooks(host: Host, { hooks, command }: WantedHooks): readonly HostHook[] {
  return hooks.flatMap((kind) => {
    const event = eventFor(kind, host.registration?.events ?? {});
    const { subcommand, timeoutMs } = RUNS[kind];
    const timeout = host.timeoutUnit === "ms" ? timeoutMs : timeoutMs / 1000;
    const line = command.replace(STOP_HOOK_WORD, subcommand);
    return event === undefined ? [] : [{ kind, event, command: hostCommand(host, line), timeout }];
  });
}

/** The host's name for it. A session without a start begins with its first prompt. */
function eventFor(kind: HookKind, events: Partial<Registration["events"]>): string | undefined {
  return kind === "session_start" ? (events.session_start ?? events.prompt) : events[kind];
}

/** The command as it is registered: it names the host unless other hosts run it too. */
export function hostCommand(host: Host, command: string): string {
  return host.registration?.isShared ? command : `${command} --host ${host.name}`;
}

function isInBackground(command: string): boolean {
  return command.split(" ").includes(BACKGROUND_FLAG);
}

export function jsonHooks(
  host: Host,
  registration: JsonHooks,
  wanted: WantedHooks,
  file: string,
): HookRegistration {
  const { events, grouped, companion, takesComments } = registration;
  const background = wanted.isBackground === true ? registration.background : undefined;
  const unawaited = wanted.isEditAwaited === true ? undefined : registration.unawaited;
  const isAsWanted = (found: FoundHook): boolean => {
    if (found.event === events.stop)
      return (
        wanted.isBackground === undefined || isInBackground(found.command) === (background !== undefined)
      );
    const isEdit = found.event === events.edit || found.event === events.shell_edit;
    return !isEdit || isUnawaited(found, registration) === (unawaited !== undefined);
  };
  return {
    file,
    hooks: hostHooks(host, wanted).map((hook) => jsonHook(hook, registration, { background, unawaited })),
    isOurs: isOurCommand,
    isStale: (found) => !isAsWanted(found),
    shape: {
      eventsKey: "hooks",
      grouped,
      commandKey: "command",
      isStrictJson: !takesComments,
      companion,
    },
  };
}

function jsonHook(
  { kind, event, command: line, timeout }: HostHook,
  { fields, stopFields, shellMatcher }: JsonHooks,
  { background, unawaited }: Pick<JsonHooks, "background" | "unawaited">,
): RegisteredHook {
  const isWaking = kind === "stop" && background !== undefined;
  const command = isWaking ? `${line} ${BACKGROUND_FLAG}` : line;
  const { type, ...others } = fields;
  const start = type === undefined ? {} : { type };
  const more = RUNS[kind].subcommand === STOP_HOOK ? { ...others, ...stopFields } : others;
  const waking = isWaking ? background : undefined;
  const isEdit = kind === "edit" || kind === "shell_edit";
  const how = isEdit ? unawaited : waking;
  const matcher = kind === "shell_edit" ? shellMatcher : undefined;
  return { event, command, fields: { ...start, command, timeout, ...more, ...how }, matcher };
}

function isUnawaited({ node }: FoundHook, { unawaited = {} }: JsonHooks): boolean {
  const hook = getNodeValue(node) as Readonly<Record<string, unknown>>; // our hooks are objects
  return Object.keys(unawaited).some((key) => hook[key] === unawaited[key]);
}
