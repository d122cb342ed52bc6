import * as z from "zod";
import { expects, duration, minutes, text, wholeNumber } from "./schema-parts.ts";
import { STOP_KINDS } from "../../../hosts/stop-event.ts";

export const STOP_HOOK_DEFAULTS = {
  enabled: true,
  run_interval_minutes: 0,
  when_active: "allow",
  when_busy: "allow",
  when_gates_change: "tell",
  timeout: 300,
  max_reason_chars: 9000,
  defer: true,
  on: ["stop"],
  agent_types: [],
  background: false,
} as const;

export const stopKind = z.enum(STOP_KINDS);

const stopHookObject = z.strictObject({
  enabled: z
    .boolean()
    .exactOptional()
    .meta({ default: STOP_HOOK_DEFAULTS.enabled, description: "Whether the stop hook runs gates at all." }),
  run_interval_minutes: minutes.exactOptional().meta({
    default: STOP_HOOK_DEFAULTS.run_interval_minutes,
    description:
      "How long after a run further stops are allowed unchecked: minutes, or `2h`. 0: always run.",
  }),
  when_active: z.enum(["allow", "enforce"]).exactOptional().meta({
    default: STOP_HOOK_DEFAULTS.when_active,
    description:
      "What a second stop does after a block: `allow` does not check it, `enforce` checks again until the retries are used up.",
  }),
  when_busy: z.enum(["allow", "wait"]).exactOptional().meta({
    default: STOP_HOOK_DEFAULTS.when_busy,
    description:
      "What a stop does while another session or a user runs the gates here: `allow` allows it unchecked, `wait` waits for that run and then decides.",
  }),
  when_gates_change: z.enum(["tell", "hold"]).exactOptional().meta({
    default: STOP_HOOK_DEFAULTS.when_gates_change,
    description:
      "What a stop does when the gates were changed in the session: `tell` shows you the difference, `hold` keeps checking with the gates the session began with until you accept the new ones.",
  }),
  timeout: duration.exactOptional().meta({
    default: STOP_HOOK_DEFAULTS.timeout,
    description: "How long the host waits for the hook, which answers a little earlier. Seconds, or `5m`.",
  }),
  max_reason_chars: wholeNumber.min(100).exactOptional().meta({
    default: STOP_HOOK_DEFAULTS.max_reason_chars,
    description: "The most characters shown to the agent when its stop is blocked.",
  }),
  defer: z.boolean().exactOptional().meta({
    default: STOP_HOOK_DEFAULTS.defer,
    description: "Put the gates off in plan mode and while background agents still work.",
  }),
  on: z.array(stopKind).min(1).exactOptional().meta({
    default: STOP_HOOK_DEFAULTS.on,
    description:
      "The events that are gated: the agent's stop, and in Claude Code also sub-agents, completed tasks and idle teammates.",
  }),
  background: z.boolean().exactOptional().meta({
    default: STOP_HOOK_DEFAULTS.background,
    description:
      "Claude Code: let the agent stop at once and run the gates in the background; a failure wakes it. Run `install` after a change.",
  }),
  agent_types: z.array(text("the type of a sub-agent")).exactOptional().meta({
    default: STOP_HOOK_DEFAULTS.agent_types,
    description: "The types of sub-agents whose end is gated with `subagent_stop`; `*` means all.",
  }),
});

const stopHookSchema = stopHookObject.refine(
  ({ on, agent_types }) => on?.includes("subagent_stop") !== true || agent_types !== undefined,
  {
    path: ["on"],
    error: "`subagent_stop` needs `agent_types`: the sub-agents that are meant, or `*` for all",
  },
);

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

export const sharedShape = {
  stop_hook: stopHookSchema.optional().describe("How the stop hook behaves."),
  debug_log: debugLogSchema
    .optional()
    .describe("`true`, or a map: write `.debug.log` into the log directory. Off by default."),
};

export const globalConfigSchema = z.strictObject(sharedShape);

export type GlobalFields = z.output<typeof globalConfigSchema>;
