import { isGreen, type Status } from "../core/status.ts";

/** The exit codes of the command line. Never 2: a host may read it as "block". */
export const EXIT = { ok: 0, notOk: 1 } as const;

/** What shells expect of a program that was ended by a signal. */
export const EXIT_BY_SIGNAL = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export function exitCodeOf(status: Status): number {
  return isGreen(status) ? EXIT.ok : EXIT.notOk;
}
