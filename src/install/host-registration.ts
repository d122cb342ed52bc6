import { BACKGROUND_FLAG } from "../hosts/answer.ts";
import type { HookKind, Host, JsonHooks } from "../hosts/host.ts";
import { isOurCommand } from "./hook-command.ts";
import type { HookRegistration } from "./hook-registration.ts";

/** How long we ask every host to wait; our own deadline lies before it. */
export const HOOK_TIMEOUT_MS = 300_000;

/** What is to be in a host's file: the line that runs us, without `--host`, and the events it is run for. */
export interface WantedHooks {
  /** The file, as shown to people. */
  readonly file: string;
  readonly command: string;
  readonly hooks: readonly HookKind[];
  /** Whether the agent may stop while the gates run, where the host can wake it; not known where nothing is said. */
  readonly isBackground?: boolean;
}

/** The command as it is registered: it names the host unless other hosts run it too. */
export function hostCommand(host: Host, command: string): string {
  return host.registration?.isShared ? command : `${command} --host ${host.name}`;
}

function isInBackground(command: string): boolean {
  return command.split(" ").includes(BACKGROUND_FLAG);
}

/** Our hooks as a host with JSON settings wants them: its events, its shape, its unit of time. All of them run one command. */
export function jsonHooks(host: Host, registration: JsonHooks, wanted: WantedHooks): HookRegistration {
  const { events, eventsKey, grouped, companion, takesComments } = registration;
  const command = hostCommand(host, wanted.command);
  const timeout = host.timeoutUnit === "ms" ? HOOK_TIMEOUT_MS : HOOK_TIMEOUT_MS / 1000;
  const { type, ...others } = registration.fields;
  const fields = { ...(type === undefined ? {} : { type }), command, timeout, ...others };
  const background = wanted.isBackground === true ? registration.background : undefined;
  const inBackground = `${command} ${BACKGROUND_FLAG}`;
  return {
    file: wanted.file,
    hooks: wanted.hooks.flatMap((kind) => {
      const event = events[kind];
      if (event === undefined) return [];
      return kind === "stop" && background !== undefined
        ? [{ event, command: inBackground, fields: { ...fields, command: inBackground, ...background } }]
        : [{ event, command, fields }];
    }),
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
