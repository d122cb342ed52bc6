import type { Host, Registration } from "../hosts/host.ts";
import { isOurCommand } from "./hook-command.ts";
import type { HookRegistration } from "./hook-registration.ts";

/** How long we ask every host to wait; our own deadline lies before it. */
export const HOOK_TIMEOUT_MS = 300_000;

/** The stop hook as this host wants it written down: its event, its shape, its unit of time. */
export function hostStopHook(
  host: Host,
  registration: Registration,
  place: { readonly file: string; readonly command: string },
): HookRegistration {
  const { event, eventsKey, grouped, companion, isShared } = registration;
  const command = isShared ? place.command : `${place.command} --host ${host.name}`;
  const timeout = host.timeoutUnit === "ms" ? HOOK_TIMEOUT_MS : HOOK_TIMEOUT_MS / 1000;
  const { type, ...others } = registration.fields;
  const fields = { ...(type === undefined ? {} : { type }), command, timeout, ...others };
  return {
    file: place.file,
    hooks: [{ event, command, fields }],
    isOurs: isOurCommand,
    shape: {
      eventsKey,
      grouped,
      commandKey: "command",
      ...(companion === undefined ? {} : { companion }),
    },
  };
}
