import { now } from "./clock.ts";

/** A name that nothing else on this or another machine has: for drafts and runs. Not a secret. */
export function uniqueName(): string {
  const random = Math.random().toString(36).slice(2);
  return [process.pid, now().toString(36), random].join("-");
}
