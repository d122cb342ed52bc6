import type { StopHookSettings } from "../settings.ts";
import type { Environment } from "../../system/process/environment.ts";

export const ENVIRONMENT_KEYS: Readonly<Record<string, string>> = {
  "stop_hook.enabled": "GAUNTLET_STOP_HOOK_ENABLED",
  "stop_hook.run_interval_minutes": "GAUNTLET_STOP_HOOK_INTERVAL_MINUTES",
};

/** The environment overrides every file, and may differ from one stop to the next. */
export function withEnvironment(written: StopHookSettings, env: Environment): StopHookSettings {
  return {
    ...written,
    enabled: switchOf(env.GAUNTLET_STOP_HOOK_ENABLED) ?? written.enabled,
    runIntervalMinutes: countOf(env.GAUNTLET_STOP_HOOK_INTERVAL_MINUTES) ?? written.runIntervalMinutes,
  };
}

export function withoutOverrides(env: Environment): Environment {
  return { ...env, GAUNTLET_STOP_HOOK_ENABLED: undefined, GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: undefined };
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
