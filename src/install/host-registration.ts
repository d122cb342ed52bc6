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
}

/** The command as it is registered: it names the host unless other hosts run it too. */
export function hostCommand(host: Host, command: string): string {
  return host.registration?.isShared ? command : `${command} --host ${host.name}`;
}

/** Our hooks as a host with JSON settings wants them: its events, its shape, its unit of time. All of them run one command. */
export function jsonHooks(host: Host, registration: JsonHooks, wanted: WantedHooks): HookRegistration {
  const { events, eventsKey, grouped, companion, takesComments } = registration;
  const command = hostCommand(host, wanted.command);
  const timeout = host.timeoutUnit === "ms" ? HOOK_TIMEOUT_MS : HOOK_TIMEOUT_MS / 1000;
  const { type, ...others } = registration.fields;
  const fields = { ...(type === undefined ? {} : { type }), command, timeout, ...others };
  return {
    file: wanted.file,
    hooks: wanted.hooks.flatMap((kind) => {
      const event = events[kind];
      return event === undefined ? [] : [{ event, command, fields }];
    }),
    isOurs: isOurCommand,
    shape: {
      eventsKey,
      grouped,
      commandKey: "command",
      isStrictJson: !takesComments,
      ...(companion === undefined ? {} : { companion }),
    },
  };
}
