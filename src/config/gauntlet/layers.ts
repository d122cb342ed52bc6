import type { DebugLogSettings, StopHookSettings } from "../../core/settings.ts";
import { type Environment, withEnvironment } from "./environment-overrides.ts";
import { type GlobalFields, DEBUG_LOG_DEFAULTS } from "./global-schema.ts";

import { millisecondsOf, minutesOf } from "./schema-parts.ts";
import { STOP_HOOK_DEFAULTS } from "./stop-hook-schema.ts";

/** Where the same key may stand, strongest first: environment, project, global, default. */
export interface Layers {
  readonly env: Environment;
  readonly project: GlobalFields;
  readonly global: GlobalFields;
}

/** How the stop hook behaves, decided field by field. */
export function stopHookSettings({ env, project, global }: Layers): StopHookSettings {
  const fields = { ...STOP_HOOK_DEFAULTS, ...global.stop_hook, ...project.stop_hook };
  const written = {
    enabled: fields.enabled,
    runIntervalMinutes: minutesOf(fields.run_interval_minutes),
    whenActive: fields.when_active,
    whenBusy: fields.when_busy,
    timeoutMs: millisecondsOf(fields.timeout),
    maxReasonChars: fields.max_reason_chars,
    defer: fields.defer,
    on: fields.on,
    background: fields.background,
    agentTypes: fields.agent_types,
  };
  return withEnvironment(written, env);
}

export function debugLogSettings({ project, global }: Omit<Layers, "env">): DebugLogSettings {
  const fields = { ...DEBUG_LOG_DEFAULTS, ...asFields(global.debug_log), ...asFields(project.debug_log) };
  return { enabled: fields.enabled, maxBytes: Math.round(fields.max_size_mb * 1024 * 1024) };
}

function asFields(debugLog: GlobalFields["debug_log"]) {
  return typeof debugLog === "boolean" ? { enabled: debugLog } : debugLog;
}
