import { z } from "zod";
import type { Reply } from "./reviewer.ts";

const result = z.object({ result: z.string(), is_error: z.boolean().optional() });

/** Claude Code and Cursor print one object whose `result` is what the model said, or why it could not. */
export function resultReply(value: unknown, stdout: string): Reply {
  const read = result.safeParse(value);
  return read.success
    ? { text: read.data.result, failed: read.data.is_error === true }
    : { text: stdout, failed: false };
}
