import type { AbsolutePath } from "../path.ts";

/** A host's question, in host-neutral terms. */
export interface StopEvent {
  /** A name of `hosts/host-table.ts`. */
  readonly host: string;
  /** Undefined for the agent's own turn. */
  readonly kind?: StopKind;
  /** Of the sub-agent or teammate that asks. */
  readonly agentType?: string;
  readonly hostVersion?: string;
  /** The host's own text: not safe as a file name before `sessionKey`. */
  readonly sessionId?: string;
  /** Of a sub-agent, a teammate or a task. */
  readonly parentId?: string;
  /** Tells sessions apart if the host names none. */
  readonly transcriptPath?: string;
  /** Changes with every prompt of the user. */
  readonly promptId?: string;
  readonly cwd: AbsolutePath;
  /** Where the host was started; `cwd` follows the agent. */
  readonly projectDir?: AbsolutePath;
  /** `stop_hook_active`: the agent goes on because a stop was blocked. */
  readonly continued: boolean;
  /** The host has no such flag for this event, or forgets it: our own record replaces it. */
  readonly isFlagless?: boolean;
  readonly lastMessage?: string;
  readonly backgroundTasks: readonly BackgroundTask[];
  readonly permissionMode?: string;
  readonly stopReason?: string;
}

export type StopKind = (typeof STOP_KINDS)[number];

export const STOP_KINDS = ["stop", "subagent_stop", "task_completed", "teammate_idle"] as const;

/** Only `agent` work can defer a stop; a dev server never does. */
export interface BackgroundTask {
  readonly kind: "agent" | "shell" | "other";
  readonly description: string;
}
