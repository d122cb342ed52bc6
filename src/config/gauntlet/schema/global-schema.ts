import * as z from "zod";
import { expects } from "./explain-issue.ts";
import { stopHookSchema } from "./stop-hook-schema.ts";

export const DEBUG_LOG_DEFAULTS = { enabled: false, max_size_mb: 10 } as const;

const debugLogSchema = z.union(
  [
    z.boolean(),
    z.strictObject({
      enabled: z
        .boolean()
        .exactOptional()
        .meta({ default: DEBUG_LOG_DEFAULTS.enabled, description: "Whether a debug log is written." }),
      max_size_mb: z.number().positive().max(1024).exactOptional().meta({
        default: DEBUG_LOG_DEFAULTS.max_size_mb,
        description: "Size in megabytes at which the debug log is rotated.",
      }),
    }),
  ],
  { error: expects("true, false or a map (`key: value` lines)") },
);

/** What the project and the user may both say; the project wins, field by field. */
export const sharedShape = {
  stop_hook: stopHookSchema.optional().describe("How the stop hook behaves."),
  debug_log: debugLogSchema
    .optional()
    .describe("`true`, or a map: write `.debug.log` into the log directory. Off by default."),
};

/** `~/.config/agent-gauntlet/config.yml`. */
export const globalConfigSchema = z.strictObject(sharedShape);

export type GlobalFields = z.output<typeof globalConfigSchema>;
