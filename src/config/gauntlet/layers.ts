import type { DebugLogSettings, StopHookSettings } from "../settings.ts";
import { withEnvironment } from "./environment-overrides.ts";
import type { Environment } from "../../system/process/environment.ts";
import {
  type GlobalFields,
  DEBUG_LOG_DEFAULTS,
  globalConfigSchema,
  STOP_HOOK_DEFAULTS,
} from "./schema/global-schema.ts";
import { millisecondsOf, minutesOf, staysInside } from "./schema/schema-parts.ts";
import { join, dirname } from "node:path";
import type { Diagnostic } from "../../trouble.ts";
import { type AbsolutePath, absolutePath } from "../../path.ts";
import { userDirectory } from "../../system/files/xdg.ts";
import { ConfigFiles } from "./config-files.ts";
import { readValue, isPlainMap, valueAt } from "./read-value.ts";
import { parseYaml, type YamlSource } from "../yaml/yaml-source.ts";
import type { Path } from "../yaml/yaml-tree.ts";

export interface Layers {
  readonly env: Environment;
  readonly project: GlobalFields;
  readonly global: GlobalFields;
}

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

export function debugLogSettings({ project, global }: Layers): DebugLogSettings {
  const fields = { ...DEBUG_LOG_DEFAULTS, ...asFields(global.debug_log), ...asFields(project.debug_log) };
  return { enabled: fields.enabled, maxBytes: Math.round(fields.max_size_mb * 1024 * 1024) };
}

function asFields(debugLog: GlobalFields["debug_log"]) {
  return typeof debugLog === "boolean" ? { enabled: debugLog } : debugLog;
}

export interface GlobalConfig {
  readonly fields: GlobalFields;
  /** All of its problems, as warnings: a user's file must not break every project. */
  readonly warnings: readonly Diagnostic[];
  readonly lookedAt: readonly string[];
}

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

export async function readGlobalSource(env: Environment): Promise<YamlSource | undefined> {
  const file = globalConfigPath(env);
  const text = await new ConfigFiles(file).read(file);
  return typeof text === "string" ? undefined : parseYaml(text).source;
}

function globalConfigPath(env: Environment): AbsolutePath {
  return absolutePath(join(userDirectory(env, "XDG_CONFIG_HOME", ".config"), "config.yml"));
}

function asWarning(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.severity === "warning") return diagnostic;
  return { ...diagnostic, severity: "warning", message: `${diagnostic.message} (this file is ignored)` };
}

const LOCAL_FILE = ".gauntlet/config.local.yml";

/** Keys whose own keys are decided one by one; everything else is replaced as a whole. */
const MAPS = ["checks", "reviews", "stop_hook", "retry", "cli", "debug_log"];

/** Keys that git must show, so a local file cannot set them. */
const NOT_LOCAL = ["extends", "entry_points"];

interface Layer {
  readonly source: YamlSource;
  readonly kind: "local" | "own" | "inherited";
}

/**
 * The project's configuration over what it `extends`, with the local file over both. A whole gate replaces
 * one of the same name. Each problem is reported in the file that has it.
 */
export async function mergeLayers(config: YamlSource, files: ConfigFiles): Promise<YamlSource> {
  const local = await readLayer(LOCAL_FILE, files);
  const inherited = await readExtended(config, files);
  if (local === undefined && inherited.length === 0) return config;
  const layers: Layer[] = [{ source: config, kind: "own" }];
  for (const source of inherited) layers.push({ source, kind: "inherited" });
  if (local !== undefined) {
    keepLocal(local, layers, files);
    layers.unshift({ source: local, kind: "local" });
  }
  const layerOf = (path: Path): Layer => findLayer(layers, path) ?? { source: config, kind: "own" };
  return {
    value: merged(layers.map(({ source }) => source.value)),
    text: config.text,
    writtenAt: (path) => layerOf(path).source.writtenAt(path),
    complain: (path, complaint) => layerOf(path).source.complain(path, complaint),
    origin: (path) => layerOf(path).kind,
  };
}

function findLayer(layers: readonly Layer[], path: Path): Layer | undefined {
  const depth = MAPS.includes(String(path[0])) ? 2 : 1;
  for (let length = Math.min(path.length, depth); length > 0; length--) {
    const found = layers.find(({ source }) => valueAt(source.value, path.slice(0, length)) !== undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

function merged(values: readonly unknown[]): Record<string, unknown> {
  const maps = values.map((value) => (isPlainMap(value) ? value : {}));
  const all = Object.assign({}, ...maps.toReversed()) as Record<string, unknown>; // plain maps make a plain map
  for (const key of MAPS) {
    const those = maps.flatMap((map) =>
      map[key] === undefined || map[key] === null ? [] : [asMap(key, map[key])],
    );
    if (those.length > 1 && those.every(isPlainMap)) all[key] = Object.assign({}, ...those.toReversed());
  }
  return all;
}

function asMap(key: string, value: unknown): unknown {
  if (key === "reviews" && Array.isArray(value))
    return Object.fromEntries(value.map((name: unknown) => [String(name), { builtin: name }]));
  return key === "debug_log" && typeof value === "boolean" ? { enabled: value } : value;
}

async function readLayer(file: string, files: ConfigFiles): Promise<YamlSource | undefined> {
  const text = await files.read(file);
  if (typeof text === "string") return undefined;
  const { source, diagnostics } = parseYaml(text);
  for (const diagnostic of diagnostics) files.report(diagnostic);
  if (source === undefined || source.value === null) return undefined;
  if (isPlainMap(source.value)) return source;
  files.report(source.complain([], { message: "this must be a map (`key: value` lines)" }));
  return undefined;
}

async function readExtended(config: YamlSource, files: ConfigFiles): Promise<readonly YamlSource[]> {
  const value = valueAt(config.value, ["extends"]);
  const names: readonly unknown[] = Array.isArray(value) ? value.toReversed() : [value]; // the last one named wins
  const read: YamlSource[] = [];
  for (const name of names) {
    if (typeof name !== "string" || name.trim() === "" || !staysInside(name)) continue; // the schema complains
    const source = await readOneExtended(name, config, files);
    if (source !== undefined) read.push(source);
  }
  return read;
}

async function readOneExtended(
  name: string,
  config: YamlSource,
  files: ConfigFiles,
): Promise<YamlSource | undefined> {
  const places = isFile(name) ? [name] : packagePlaces(name, files.root);
  for (const place of places) {
    if (!files.exists(place)) continue;
    const source = await readLayer(place, files);
    if (source !== undefined && valueAt(source.value, ["extends"]) !== undefined)
      files.report(
        source.complain(["extends"], {
          severity: "warning",
          message: "`extends` is ignored here",
          hint: "only the project's own config.yml may extend others",
        }),
      );
    return source;
  }
  const message = isFile(name)
    ? `${name} does not exist`
    : `the package \`${name}\` has no gauntlet.yml, or is not installed`;
  const hint = isFile(name)
    ? "the path is relative to the directory that holds `.gauntlet`"
    : `\`npm install --save-dev ${name}\` first`;
  files.report(config.complain(["extends"], { message, hint, at: "value" }));
  return undefined;
}

function isFile(name: string): boolean {
  return name.startsWith("./") || /\.ya?ml$/i.test(name);
}

/** npm installs it in the project or, in a monorepo, above it. */
function packagePlaces(name: string, root: string): readonly string[] {
  const places = [join("node_modules", name, "gauntlet.yml")];
  for (let directory = root; dirname(directory) !== directory;) {
    directory = dirname(directory);
    places.push(join(directory, "node_modules", name, "gauntlet.yml"));
  }
  return places;
}

/** A file that git does not show may add gates, but not replace those of the project. */
function keepLocal(local: YamlSource, others: readonly Layer[], { report }: ConfigFiles): void {
  for (const key of NOT_LOCAL)
    if (valueAt(local.value, [key]) !== undefined)
      report(
        local.complain([key], { message: `\`${key}\` belongs in .gauntlet/config.yml`, hint: LOCAL_RULE }),
      );
  for (const key of ["checks", "reviews"]) {
    const own = valueAt(local.value, [key]);
    const known = merged(others.map(({ source }) => source.value))[key];
    for (const name of isPlainMap(own) && isPlainMap(known) ? Object.keys(own) : [])
      if (Object.hasOwn(known as object, name))
        report(
          local.complain([key, name], { message: `\`${name}\` is a gate of the project`, hint: LOCAL_RULE }),
        );
  }
}

const LOCAL_RULE = "what is only yours may add gates, not replace those of the project";
