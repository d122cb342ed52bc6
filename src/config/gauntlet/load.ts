import { posix } from "node:path";
import { didYouMean } from "../../words.ts";
import { type Diagnostic, type Result, fail, ok } from "../../trouble.ts";
import { fixedPart, isException } from "../entry-point.ts";
import { type AbsolutePath, projectPath } from "../../path.ts";
import {
  type EntryPoint,
  GUARD_NAMES,
  type RemoteSettings,
  type RetryPolicy,
  type RunAheadSettings,
  type Settings,
} from "../settings.ts";
import { ConfigFiles, type ExpectedDirectory } from "./config-files.ts";
import type { Environment } from "../../system/process/environment.ts";
import { definitionHash, gateHash, readScripts } from "./gates-hash.ts";
import { type Entry, type GateTables, readGates } from "./gate-tables.ts";
import { type Layers, debugLogSettings, stopHookSettings, readGlobal, mergeLayers } from "./layers.ts";
import { readEntryPoints } from "./read-entry-points.ts";
import { CONFIG_FILE } from "../../system/files/find-project.ts";
import { isPlainMap, readKeys, reportUnknownKeys, valueAt } from "./read-value.ts";
import { readRemote } from "./schema/remote-schema.ts";
import { configSchema, RETRY_DEFAULTS, RUN_AHEAD_DEFAULTS } from "./schema/schema.ts";
import { millisecondsOf, minutesOf } from "./schema/schema-parts.ts";
import type { Complaint, SourceText } from "../source-text.ts";
import { type YamlSource, parseYaml } from "../yaml/yaml-source.ts";
import type { Path } from "../yaml/yaml-tree.ts";

export interface LoadedSettings {
  readonly settings: Settings;
  readonly warnings: readonly Diagnostic[];
  /** Every file and directory that was read or looked for: a cache of the settings must watch them. */
  readonly files: readonly string[];
  readonly expected: readonly ExpectedDirectory[];
  /** Gates with `enabled: false`. */
  readonly off: readonly { readonly key: string; readonly file: string }[];
  /** For a problem that shows only later; nothing if the key is not written. */
  readonly complainOf: (path: Path, complaint: Complaint) => readonly Diagnostic[];
}

export async function loadSettings(root: AbsolutePath, env: Environment): Promise<Result<LoadedSettings>> {
  const files = new ConfigFiles(root);
  const text = await files.read(files.configFile);
  if (text === "missing") return fail({ kind: "no-config", searchedFrom: root });
  const own = text === "unreadable" ? undefined : readConfig(text, files);
  const config = own && (await mergeLayers(own, files));
  const tables = await readGates(config, files);
  const entryPoints = config === undefined ? [] : readEntryPoints(config, tables, files);
  const fields = config && readFields(config, files);
  const remote =
    config !== undefined && fields?.remote !== undefined
      ? await readRemote(fields.remote, config, files)
      : undefined;
  if (config !== undefined && fields !== undefined) {
    keepLogsApart(config, fields.log_dir, entryPoints, files);
    if (remote?.workers === undefined) needWorkers(config, entryPoints, files);
    needGates(config, fields.run_ahead, { entryPoints, files });
  }
  const global = await readGlobal(env);

  const diagnostics = [...files.diagnostics, ...global.warnings];
  if (fields === undefined || diagnostics.some(({ severity }) => severity === "error"))
    return fail({ kind: "config-invalid", diagnostics });
  const scripts = readScripts(entryPoints, files);
  const layers = { env, project: fields, global: global.fields };
  const settings = toSettings({ root, fields, entryPoints, scripts, remote }, layers);
  const { expected, lookedAt } = files;
  const complainOf: LoadedSettings["complainOf"] = (path, complaint) =>
    config?.writtenAt(path) === undefined ? [] : [config.complain(path, { ...complaint, at: "value" })];
  const looked = [...lookedAt, ...global.lookedAt];
  return ok({ settings, warnings: diagnostics, files: looked, expected, off: gatesOff(tables), complainOf });
}

function gatesOff({ checks, reviews }: GateTables): LoadedSettings["off"] {
  return [...offIn("checks", checks), ...offIn("reviews", reviews)];
}

function offIn(kind: string, table: ReadonlyMap<string, Entry<unknown>>): LoadedSettings["off"] {
  return [...table]
    .filter(([, { isOff }]) => isOff)
    .map(([name, { declaration }]) => ({ key: `${kind}.${name}`, file: declaration.file }));
}

function readConfig(text: SourceText, files: ConfigFiles): YamlSource | undefined {
  const { source, diagnostics } = parseYaml(text);
  for (const diagnostic of diagnostics) files.report(diagnostic);
  if (source === undefined || isPlainMap(source.value)) return source;
  if (source.value === null) return { ...source, value: {} };
  files.report(
    source.complain([], {
      message: "this must be a map (`key: value` lines)",
      hint: "begin with `checks:`",
    }),
  );
  return undefined;
}

function readFields(source: YamlSource, { report, configFile }: ConfigFiles) {
  const {
    checks: _checks,
    reviews: _reviews,
    entry_points: _entryPoints,
    cli: _cli,
    ...shape
  } = configSchema.shape;
  reportUnknownKeys(Object.keys(configSchema.shape), { source, path: [], report });
  const fields = readKeys(shape, { source, path: [], report });
  const isWritten = valueAt(source.value, ["log_dir"]) !== undefined;
  if (fields !== undefined && configFile !== CONFIG_FILE && !isWritten)
    return { ...fields, log_dir: "validator_logs" }; // which the `.gitignore` of such a project names
  return fields;
}

function needWorkers(source: YamlSource, entryPoints: readonly EntryPoint[], { report }: ConfigFiles): void {
  const gates = entryPoints.flatMap((entryPoint) => entryPoint.gates);
  const found = gates.find((gate) => gate.kind === "check" && gate.runOn === "workers");
  if (found === undefined) return;
  const message = `\`run_on: workers\` of the check \`${found.name}\` needs \`remote.workers\``;
  report(source.complain([], { message, hint: "add `remote: { workers: { url: …, tree: … } }`" }));
}

/** In the background nobody would hear of a name that is misspelt. Paths and globs may match what is not there yet. */
function needGates(
  source: YamlSource,
  runAhead: Project["fields"]["run_ahead"],
  { entryPoints, files }: { readonly entryPoints: readonly EntryPoint[]; readonly files: ConfigFiles },
): void {
  const known = entryPoints.flatMap(({ gates }) => gates.map(({ name }) => name));
  const { gates: names = [] } = typeof runAhead === "object" ? runAhead : {};
  for (const [index, name] of names.entries()) {
    if (known.includes(name) || /[^\w-]/.test(name)) continue;
    const message = `there is no gate \`${name}\``;
    const hint = didYouMean(name, known) ?? `known gates: ${known.join(", ")}`;
    files.report(source.complain(["run_ahead", "gates", index], { message, hint, at: "value" }));
  }
}

/** The log directory never counts as a change, so a gate for it could never run. */
function keepLogsApart(
  source: YamlSource,
  directory: string,
  entryPoints: readonly EntryPoint[],
  { report }: ConfigFiles,
): void {
  const logDir = projectPath(posix.normalize(directory));
  const found = entryPoints
    .flatMap(coveredPaths)
    .find((path) => `${fixedPart(path)}/`.startsWith(`${logDir}/`));
  if (found === undefined) return;
  const message = `\`log_dir\` (${logDir}) holds files that a gate covers: ${found}`;
  report(source.complain(["log_dir"], { message, hint: "name a directory that is used for nothing else" }));
}

function coveredPaths({ path, gates }: EntryPoint): readonly string[] {
  const checks = gates.filter((gate) => gate.kind === "check");
  const globs = checks.flatMap(({ inputs = [], files = [] }) => [...inputs, ...files]);
  return [path, ...globs.filter((glob) => !isException(glob))];
}

interface Project {
  readonly root: AbsolutePath;
  readonly fields: NonNullable<ReturnType<typeof readFields>>;
  readonly entryPoints: readonly EntryPoint[];
  readonly scripts: Settings["scripts"];
  readonly remote: RemoteSettings | undefined;
}

function withOnlyNew(entryPoints: readonly EntryPoint[], onlyNew: boolean): readonly EntryPoint[] {
  if (!onlyNew) return entryPoints;
  return entryPoints.map((entryPoint) => ({
    ...entryPoint,
    gates: entryPoint.gates.map((gate) =>
      gate.kind === "check" ? { ...gate, onlyNew: gate.onlyNew ?? onlyNew } : gate,
    ),
  }));
}

function toSettings({ root, fields, entryPoints, scripts, remote }: Project, layers: Layers): Settings {
  const chosen = {
    baseBranch: fields.base_branch,
    entryPoints: withOnlyNew(entryPoints, fields.only_new),
    rerunNewIssueThreshold: fields.rerun_new_issue_threshold,
    ...guardSettings(fields.guards),
    protectedFiles: fields.protected_files,
  };
  const definition = {
    ...chosen,
    baselineSetup: fields.baseline?.setup,
    logDir: projectPath(posix.normalize(fields.log_dir)),
    maxParallel: fields.allow_parallel ? fields.max_parallel : 1,
    maxRetries: fields.max_retries,
    retry: retryPolicy(fields.retry),
    stopHook: stopHookSettings(layers),
    debugLog: debugLogSettings(layers),
    onGiveUp: fields.on_give_up,
    scripts,
    remote,
    runAhead: runAheadSettings(fields.run_ahead),
    gateHash: gateHash(chosen),
  };
  return { root, ...definition, definitionHash: definitionHash(definition) };
}

function guardSettings(fields: Project["fields"]["guards"]): Pick<Settings, "guards" | "guardsIgnore"> {
  if (fields === undefined) return {};
  const guards = GUARD_NAMES.flatMap((name) => {
    const mode = fields[name];
    return mode === undefined || mode === "off" ? [] : [[name, mode === "warn" ? "tell" : mode] as const];
  });
  return { guards: Object.fromEntries(guards), guardsIgnore: fields.ignore };
}

function retryPolicy(fields: Project["fields"]["retry"]): RetryPolicy {
  const { when_stuck, extend_on_progress } = { ...RETRY_DEFAULTS, ...fields };
  return { whenStuck: when_stuck, extendOnProgress: extend_on_progress };
}

function runAheadSettings(fields: Project["fields"]["run_ahead"]): RunAheadSettings | undefined {
  if (fields === undefined || fields === false) return undefined;
  const all = { ...RUN_AHEAD_DEFAULTS, ...(fields === true ? {} : fields) };
  return {
    afterMs: millisecondsOf(all.after),
    gates: all.gates,
    maxParallel: all.max_parallel,
    nice: all.nice,
    idleMs: minutesOf(all.idle) * 60_000,
    maxPerMinute: all.max_per_minute,
  };
}
