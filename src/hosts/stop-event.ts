import type { AbsolutePath } from "../path.ts";

/** What a host sends when its agent wants to stop, in host-neutral terms. */
export interface StopEvent {
  /** The agent program that asks: a name of `hosts/host-table.ts`. */
  readonly host: string;
  /** What ends; absent for the agent's own turn. */
  readonly kind?: StopKind;
  /** The type of the sub-agent or teammate that asks. */
  readonly agentType?: string;
  /** Where the host tells. */
  readonly hostVersion?: string;
  /** The host's own text, absent where it sends none: not safe as a file name before `sessionKey`. */
  readonly sessionId?: string;
  /** The session that a sub-agent, a teammate or a task is part of. */
  readonly parentId?: string;
  /** Tells sessions apart where the host names no session. */
  readonly transcriptPath?: string;
  /** Changes with every prompt of the user, where the host says so. */
  readonly promptId?: string;
  readonly cwd: AbsolutePath;
  /** Where the host was started, where it says so; `cwd` follows the agent. */
  readonly projectDir?: AbsolutePath;
  /** The host's `stop_hook_active`: the agent is going on because an earlier stop was blocked. */
  readonly continued: boolean;
  /** The host has no such flag for this event, or forgets it: our own record of the block takes its place. */
  readonly isFlagless?: boolean;
  readonly lastMessage?: string;
  readonly backgroundTasks: readonly BackgroundTask[];
  readonly permissionMode?: string;
  readonly stopReason?: string;
}

/** What the agent wants to end: its turn, a sub-agent's work, a task of its list, or a teammate's turn. */
export type StopKind = (typeof STOP_KINDS)[number];

export const STOP_KINDS = ["stop", "subagent_stop", "task_completed", "teammate_idle"] as const;

/** Work the host says is still going on; only `agent` work can defer a stop, a dev server never does. */
export interface BackgroundTask {
  readonly kind: "agent" | "shell" | "other";
  readonly description: string;
}
