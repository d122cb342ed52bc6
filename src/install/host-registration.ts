import { BACKGROUND_FLAG } from "../hosts/answer.ts";
import type { HookKind, Host, JsonHooks, Registration } from "../hosts/host.ts";
import { isOurCommand, STOP_HOOK, type Subcommand } from "./hook-command.ts";
import type { HookRegistration, RegisteredHook } from "./hook-registration.ts";

/** How long we ask every host to wait at the end of work; our own deadline lies before it. */
export const HOOK_TIMEOUT_MS = 300_000;

/** What each hook runs, and how long the host is asked to wait for it. */
const RUNS: Readonly<Record<HookKind, { readonly subcommand: Subcommand; readonly timeoutMs: number }>> = {
  session_start: { subcommand: "session-start", timeoutMs: 30_000 },
  prompt: { subcommand: "prompt-hook", timeoutMs: 30_000 },
  stop: { subcommand: STOP_HOOK, timeoutMs: HOOK_TIMEOUT_MS },
  subagent_stop: { subcommand: STOP_HOOK, timeoutMs: HOOK_TIMEOUT_MS },
  task_completed: { subcommand: STOP_HOOK, timeoutMs: HOOK_TIMEOUT_MS },
  teammate_idle: { subcommand: STOP_HOOK, timeoutMs: HOOK_TIMEOUT_MS },
  stop_failure: { subcommand: STOP_HOOK, timeoutMs: HOOK_TIMEOUT_MS },
  session_end: { subcommand: STOP_HOOK, timeoutMs: HOOK_TIMEOUT_MS },
};

/** What is to be in a host's file: the line that runs the stop hook, without `--host`, and the hooks. */
export interface WantedHooks {
  /** The file, as shown to people. */
  readonly file: string;
  readonly command: string;
  readonly hooks: readonly HookKind[];
  /** Whether the agent may stop while the gates run, where the host can wake it; not known where nothing is said. */
  readonly isBackground?: boolean;
}

/** A hook as it is registered with one host, whatever the form of its file. */
export interface HostHook {
  readonly kind: HookKind;
  readonly event: string;
  readonly command: string;
  /** In the host's unit. */
  readonly timeout: number;
}

/** The last word, but for a flag. */
const STOP_HOOK_WORD = /\bstop-hook(?=$| --only-allowed$)/;

/** The hooks that are wanted and that the host has an event for. */
export function hostHooks(
  host: Host,
  { hooks, command }: Pick<WantedHooks, "hooks" | "command">,
): readonly HostHook[] {
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

/** Our hooks as a host with JSON settings wants them: its events, its shape, its unit of time. */
export function jsonHooks(host: Host, registration: JsonHooks, wanted: WantedHooks): HookRegistration {
  const { events, eventsKey, grouped, companion, takesComments } = registration;
  const background = wanted.isBackground === true ? registration.background : undefined;
  return {
    file: wanted.file,
    hooks: hostHooks(host, wanted).map((hook) => jsonHook(hook, registration, background)),
    isOurs: isOurCommand,
    ...(wanted.isBackground === undefined
      ? {}
      : {
          isStale: (found) =>
            found.event === events.stop && isInBackground(found.command) !== (background !== undefined),
        }),
    shape: {
      eventsKey,
      grouped,
      commandKey: "command",
      isStrictJson: !takesComments,
      ...(companion === undefined ? {} : { companion }),
    },
  };
}

function jsonHook(
  { kind, event, command: line, timeout }: HostHook,
  { fields, stopFields }: JsonHooks,
  background: JsonHooks["background"],
): RegisteredHook {
  const isWaking = kind === "stop" && background !== undefined;
  const command = isWaking ? `${line} ${BACKGROUND_FLAG}` : line;
  const { type, ...others } = fields;
  const more = { ...others, ...(RUNS[kind].subcommand === STOP_HOOK ? stopFields : {}) };
  const start = type === undefined ? {} : { type };
  return { event, command, fields: { ...start, command, timeout, ...more, ...(isWaking ? background : {}) } };
}
