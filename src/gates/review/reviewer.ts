import type { AbsolutePath } from "../../core/path.ts";
import { z } from "zod";

/** One tool that can review: how to find it, how to ask it, how to read what it says. A table row; it never spawns. */
export interface Reviewer {
  /** As written in `cli_preference`. */
  readonly name: string;
  readonly title: string;
  /** A name on PATH, or a path. */
  readonly executable: string;
  /** What must be on PATH for it to work, where that is not the executable. */
  readonly detect?: string;
  readonly versionArgs: readonly string[];
  /** Asks the tool, without a model, whether it is logged in. */
  readonly loginArgs?: readonly string[];
  /** What to type to get it, and to log in. */
  readonly install: string;
  readonly invocation: (request: ReviewRequest) => Invocation;
  /** The reviewer's own words in what the tool printed; undefined when there are no such words. */
  readonly replyIn: (stdout: string) => Reply;
  /** How it says that there is nothing left to spend. */
  readonly usageLimit: RegExp;
  readonly notLoggedIn: RegExp;
}

interface ReviewRequest {
  readonly model: string | undefined;
  readonly root: AbsolutePath;
}

/** The prompt always goes to stdin: an argument could be too long, and other users of the machine could read it. */
export interface Invocation {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Run in an empty directory with these files, not in the project. */
  readonly scratch?: Readonly<Record<string, string>>;
}

/** What a tool printed, unwrapped. */
export interface Reply {
  readonly text: string;
  /** The tool itself says that it failed. */
  readonly failed: boolean;
}

/** Why a reviewer gave no answer. None of these is a finding. */
export interface ReviewerTrouble {
  readonly kind:
    "missing" | "not-logged-in" | "usage-limit" | "timed-out" | "nonsense" | "failed" | "resting";
  readonly detail: string;
}

const result = z.object({ result: z.string(), is_error: z.boolean().optional() });

/** Claude Code and Cursor print one object whose `result` is what the model said, or why it could not. */
export function resultReply(value: unknown, stdout: string): Reply {
  const read = result.safeParse(value);
  return read.success
    ? { text: read.data.result, failed: read.data.is_error === true }
    : { text: stdout, failed: false };
}
