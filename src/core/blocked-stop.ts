/** What a blocked stop leaves for the next one of its session. */
export interface BlockedStop {
  readonly root: string;
  readonly whenActive: "allow" | "enforce";
  /** The attempts spent on this prompt: an agent that removes the log directory gets no new budget by it. */
  readonly attempts: number;
  readonly promptId?: string | undefined;
  /** The host's name of the session, or of a part of it. */
  readonly session?: string | undefined;
}
