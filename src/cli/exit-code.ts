import { isGreen, type Status } from "../core/status.ts";

/** The exit codes of the command line. Never 2: a host may read it as "block". */
export const EXIT = { ok: 0, notOk: 1 } as const;

export function exitCodeOf(status: Status): number {
  return isGreen(status) ? EXIT.ok : EXIT.notOk;
}
