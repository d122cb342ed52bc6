import type { AbsolutePath } from "../../path.ts";
import { fail, ok, type Result } from "../../trouble.ts";
import { parseYaml, type YamlSource } from "../yaml/yaml-source.ts";
import type { Path } from "../yaml/yaml-tree.ts";
import type { CheckGate, ReviewGate } from "../../gates/gate.ts";
import { ConfigFiles } from "./config-files.ts";
import { ENVIRONMENT_KEYS } from "./environment-overrides.ts";
import type { Environment } from "../../system/process/environment.ts";
import { DEBUG_LOG_DEFAULTS, STOP_HOOK_DEFAULTS } from "./schema/global-schema.ts";
import { readGlobalSource, mergeLayers } from "./layers.ts";
import { loadSettings } from "./load.ts";
import { isPlainMap, valueAt } from "./read-value.ts";
import { configSchema, RETRY_DEFAULTS } from "./schema/schema.ts";

export interface EffectiveValue {
  readonly key: string;
  readonly value: unknown;
  readonly source: string;
}

export async function effectiveSettings(
  root: AbsolutePath,
  env: Environment,
): Promise<Result<readonly EffectiveValue[]>> {
  const loaded = await loadSettings(root, env);
  if (!loaded.ok) return loaded;
  const files = new ConfigFiles(root);
  const text = await files.read(files.configFile);
  const own = typeof text === "string" ? undefined : parseYaml(text).source;
  if (own === undefined) return fail({ kind: "no-config", searchedFrom: root });
  const config = await mergeLayers(own, files);
  const global = await readGlobalSource(env);
  const { entryPoints } = loaded.value.settings;
  const gates = entryPoints.flatMap((entryPoint) => entryPoint.gates);
  const fromFiles = gates.flatMap((gate) => {
    const key = `${gate.kind}s.${gate.name}`;
    const source = gateFiles(gate.kind, gate.name, files).find((file) => files.exists(file));
    return source === undefined ? [] : [{ key, value: gateInShort(gate), source }];
  });
  const off = loaded.value.off.map(({ key, file }) => ({ key, value: "off (enabled: false)", source: file }));
  const inner = entryPoints.flatMap(({ path, gates: own }, index) =>
    own.map((gate) => ({
      key: `entry_points[${index}] ${path}: ${gate.kind} ${gate.name}`,
      value: gateInShort(gate),
      source: placeOf(config, ["entry_points", index]),
    })),
  );
  const isInFile = ({ key }: EffectiveValue): boolean =>
    fromFiles.some((one) => key === one.key || key.startsWith(`${one.key}.`));
  const written = gateValues(config).filter((one) => !isInFile(one));
  const named = uniqueByKey([...fromFiles, ...off]);
  const isListed = Array.isArray(valueAt(config.value, ["entry_points"]));
  return ok([...topLevel(config, global, env), ...written, ...named, ...(isListed ? inner : [])]);
}

function gateInShort(gate: CheckGate | ReviewGate): string {
  if (gate.kind === "check") return gate.command;
  const model = gate.model === undefined ? "" : ` with ${gate.model}`;
  return `by ${gate.cliPreference.join(", ")}${model}, ${gate.numReviews === 1 ? "once" : `${gate.numReviews} times`}`;
}

function gateFiles(kind: "check" | "review", name: string, files: ConfigFiles): readonly string[] {
  const file = files.beside(`${kind}s/${name}`);
  const yaml = [`${file}.yml`, `${file}.yaml`];
  return kind === "check" ? yaml : [`${file}.md`, ...yaml];
}

function uniqueByKey(values: readonly EffectiveValue[]): readonly EffectiveValue[] {
  return [...new Map(values.map((one) => [one.key, one])).values()];
}

function defaults(): Readonly<Record<string, unknown>> {
  const plain = Object.entries(configSchema.shape).map(([key, schema]) => [
    key,
    schema.safeParse(undefined).data,
  ]);
  return {
    ...Object.fromEntries(plain),
    stop_hook: STOP_HOOK_DEFAULTS,
    debug_log: DEBUG_LOG_DEFAULTS,
    retry: RETRY_DEFAULTS,
  };
}

const GATES = ["checks", "reviews"];

function topLevel(
  config: YamlSource,
  global: YamlSource | undefined,
  env: Environment,
): readonly EffectiveValue[] {
  return Object.entries(defaults())
    .filter(([key]) => !GATES.includes(key))
    .flatMap(([key, byDefault]) => {
      const written = valueAt(config.value, [key]);
      const paths =
        isPlainMap(byDefault) || isPlainMap(written) ? innerPaths(key, byDefault, written) : [[key]];
      return paths.map((path) => valueOf(path, { config, global, env, byDefault: { [key]: byDefault } }));
    })
    .filter(({ value }) => value !== undefined);
}

function innerPaths(key: string, ...maps: readonly unknown[]): readonly string[][] {
  const names = maps.flatMap((map) => (isPlainMap(map) ? Object.keys(map) : []));
  return [...new Set(names)].map((name) => [key, name]);
}

interface Sources {
  readonly config: YamlSource;
  readonly global: YamlSource | undefined;
  readonly env: Environment;
  readonly byDefault: unknown;
}

function valueOf(path: readonly string[], { config, global, env, byDefault }: Sources): EffectiveValue {
  const key = path.join(".");
  const variable = ENVIRONMENT_KEYS[key];
  const set = variable === undefined ? undefined : env[variable];
  if (variable !== undefined && set !== undefined) return { key, value: set, source: variable };
  for (const source of [config, global]) {
    const value = source && shortForm(path, valueAt(source.value, path), source);
    if (source !== undefined && value !== undefined && value !== null)
      return { key, value, source: placeOf(source, path) };
  }
  return { key, value: valueAt(byDefault, path), source: "default" };
}

function shortForm(path: Path, value: unknown, source: YamlSource): unknown {
  const whole = path[1] === "enabled" ? valueAt(source.value, path.slice(0, 1)) : undefined;
  return typeof whole === "boolean" ? whole : value;
}

function placeOf(source: YamlSource, path: Path): string {
  const { file, line } = source.complain(path, { message: "" });
  return line === undefined ? file : `${file}:${line}`;
}

function gateValues(config: YamlSource): readonly EffectiveValue[] {
  return GATES.flatMap((kind) => {
    const gates = valueAt(config.value, [kind]);
    if (Array.isArray(gates)) return [{ key: kind, value: gates, source: placeOf(config, [kind]) }];
    return Object.entries(isPlainMap(gates) ? gates : {}).flatMap(([name, gate]) => {
      const path = [kind, name];
      if (!isPlainMap(gate)) return [{ key: path.join("."), value: gate, source: placeOf(config, path) }];
      return Object.entries(gate).map(([key, value]) => ({
        key: [...path, key].join("."),
        value,
        source: placeOf(config, [...path, key]),
      }));
    });
  });
}
