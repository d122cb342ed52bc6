import type { Status } from "./status.ts";

/** The answer to "may I stop?". */
export interface Verdict {
  readonly decision: "allow" | "block";
  readonly status: Status;
  /** One line for people. */
  readonly message: string;
  /** What the agent must read; only when blocking. */
  readonly feedback?: string;
  /** What the person at the keyboard must know even if nothing else is shown: we gave up, we broke, we could not check. */
  readonly notice?: string;
}
