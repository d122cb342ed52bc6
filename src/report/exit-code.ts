import { isGreen, type Status } from "../stop/status.ts";

/** The exit codes of the command line. Never 2: a host may read it as "block". */
export const EXIT = { ok: 0, notOk: 1 } as const;

/** What shells expect of a program that was ended by a signal: 130 for Ctrl-C, 143 for TERM. */
export function exitCodeBy(signal: NodeJS.Signals): number {
  const { constants } = process.getBuiltinModule("node:os"); // which the first answers do without
  return 128 + constants.signals[signal];
}

export function exitCodeOf(status: Status): number {
  return isGreen(status) ? EXIT.ok : EXIT.notOk;
}
