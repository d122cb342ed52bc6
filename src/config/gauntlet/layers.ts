import type { DebugLogSettings, StopHookSettings } from "../../core/settings.ts";
import type { GlobalFields } from "./schema.ts";
import { DEBUG_LOG_DEFAULTS, STOP_HOOK_DEFAULTS } from "./schema.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the same key may stand, strongest first: environment, project, global, default. */
export interface Layers {
  readonly env: Environment;
  readonly project: GlobalFields;
  readonly global: GlobalFields;
}

/** How the stop hook behaves, decided field by field. */
export function stopHookSettings({ env, project, global }: Layers): StopHookSettings {
  const fields = { ...STOP_HOOK_DEFAULTS, ...global.stop_hook, ...project.stop_hook };
  return {
    enabled: switchOf(env.GAUNTLET_STOP_HOOK_ENABLED) ?? fields.enabled,
    runIntervalMinutes: countOf(env.GAUNTLET_STOP_HOOK_INTERVAL_MINUTES) ?? fields.run_interval_minutes,
    whenActive: fields.when_active,
    timeoutMs: fields.timeout * 1000,
    maxReasonChars: fields.max_reason_chars,
    defer: fields.defer,
  };
}

export function debugLogSettings({ project, global }: Omit<Layers, "env">): DebugLogSettings {
  const fields = { ...DEBUG_LOG_DEFAULTS, ...asFields(global.debug_log), ...asFields(project.debug_log) };
  return { enabled: fields.enabled, maxBytes: Math.round(fields.max_size_mb * 1024 * 1024) };
}

function asFields(debugLog: GlobalFields["debug_log"]) {
  return typeof debugLog === "boolean" ? { enabled: debugLog } : debugLog;
}

function switchOf(text: string | undefined): boolean | undefined {
  const word = text?.trim().toLowerCase();
  if (word === "true" || word === "1") return true;
  return word === "false" || word === "0" ? false : undefined;
}

function countOf(text: string | undefined): number | undefined {
  const digits = text?.trim() ?? "";
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}
