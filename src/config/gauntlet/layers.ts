import type { DebugLogSettings, StopHookSettings } from "../../core/settings.ts";
import { type Environment, withEnvironment } from "./environment-overrides.ts";
import { type GlobalFields, DEBUG_LOG_DEFAULTS, globalConfigSchema } from "./schema/global-schema.ts";
import { millisecondsOf, minutesOf } from "./schema/schema-parts.ts";
import { STOP_HOOK_DEFAULTS } from "./schema/stop-hook-schema.ts";
import { isAbsolute, join } from "node:path";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { type AbsolutePath, absolutePath } from "../../core/path.ts";
import { homeDirectory } from "../../machine/files/xdg.ts";
import { ConfigFiles } from "./config-files.ts";
import { readValue } from "./read-value.ts";
import { parseYaml, type YamlSource } from "../yaml/yaml-source.ts";

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
    whenGatesChange: fields.when_gates_change,
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

export interface GlobalConfig {
  readonly fields: GlobalFields;
  /** Its problems, all as warnings: a user's file must not break every project. */
  readonly warnings: readonly Diagnostic[];
  readonly lookedAt: readonly string[];
}

/** Reads the user's configuration; if it is missing or broken, the defaults apply. */
export async function readGlobal(env: Environment): Promise<GlobalConfig> {
  const file = globalConfigPath(env);
  const files = new ConfigFiles(file);
  const text = await files.read(file);
  const parsed = typeof text === "string" ? undefined : parseYaml(text);
  for (const diagnostic of parsed?.diagnostics ?? []) files.report(diagnostic);
  const source = parsed?.source;
  const isEmpty = source === undefined || source.value === null;
  const fields = isEmpty ? {} : readValue(globalConfigSchema, { source, path: [], report: files.report });
  return { fields: fields ?? {}, warnings: files.diagnostics.map(asWarning), lookedAt: files.lookedAt };
}

/** The same file as it is written, to show where a value comes from. */
export async function readGlobalSource(env: Environment): Promise<YamlSource | undefined> {
  const file = globalConfigPath(env);
  const text = await new ConfigFiles(file).read(file);
  return typeof text === "string" ? undefined : parseYaml(text).source;
}

function globalConfigPath(env: Environment): AbsolutePath {
  const { XDG_CONFIG_HOME: given } = env;
  const directory = given !== undefined && isAbsolute(given) ? given : join(homeDirectory(env), ".config");
  return absolutePath(join(directory, "agent-gauntlet", "config.yml"));
}

function asWarning(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.severity === "warning") return diagnostic;
  return { ...diagnostic, severity: "warning", message: `${diagnostic.message} (this file is ignored)` };
}
