/** How a red run compares with the attempt before it. */
export interface Progress {
  /** The same gates fail with the same problems. */
  readonly isSame: boolean;
  /** Something that failed before does not any more. */
  readonly isBetter: boolean;
}

/** What a project wants done about loops that go nowhere, and loops that get somewhere. */
export interface RetryPolicy {
  readonly whenStuck: "continue" | "stop";
  readonly extendOnProgress: boolean;
}

/** As many attempts in a row with the identical problems end the loop when `when_stuck` is `stop`. */
export const STUCK_AFTER = 3;
