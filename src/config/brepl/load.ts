import { type Result, ok, fail, type Diagnostic } from "../../trouble.ts";
import { readText } from "../../system/files/files.ts";
import { join } from "node:path";
import { SourceText } from "../source-text.ts";
import { readEdn } from "./edn-reader.ts";
import { type EdnProblem, type EdnForm, lookUp, type EdnMap, printString } from "./edn-cursor.ts";
import { HookFields } from "./hook-fields.ts";
import * as field from "./hook-fields.ts";
import type { ReplGate, CheckGate } from "../../gates/gate.ts";
import { type ProjectPath, projectPath } from "../../path.ts";

export const HOOKS_FILE = ".brepl/hooks.edn";

/** Hooks are read from this directory only. If the file has an error, none of its hooks may run. */
export function loadHooks(cwd: string): Result<HookFile> {
  const text = readText(join(cwd, HOOKS_FILE));
  if (!text.ok) return text.trouble.kind === "file-missing" ? ok({ hooks: [], diagnostics: [] }) : text;
  const file = readHooks(new SourceText(HOOKS_FILE, text.value));
  const isInvalid = file.diagnostics.some(({ severity }) => severity === "error");
  return isInvalid ? fail({ kind: "config-invalid", diagnostics: file.diagnostics }) : ok(file);
}

export interface HookFile {
  readonly hooks: readonly Hook[];
  readonly diagnostics: readonly Diagnostic[];
}

export function readHooks(source: SourceText): HookFile {
  const { form, problems } = readEdn(source.content);
  const reading = form ? readStop(form, source.content) : { hooks: [], errors: [], warnings: [] };
  const errors = [...problems, ...reading.errors].toSorted((a, b) => a.start - b.start);
  return {
    hooks: reading.hooks,
    diagnostics: [
      ...errors.map((problem) => placeProblem(source, problem)),
      ...reading.warnings.map((problem) => placeProblem(source, problem, "warning")),
    ],
  };
}

interface Reading {
  readonly hooks: readonly Hook[];
  readonly errors: readonly EdnProblem[];
  readonly warnings: readonly EdnProblem[];
}

const NOTHING: Reading = { hooks: [], errors: [], warnings: [] };

function readStop(form: EdnForm, text: string): Reading {
  if (form.kind === "nil" || form.kind === "unreadable") return NOTHING;
  if (form.kind !== "map") return refuse(form, "the file must hold a map, as in {:stop []}");
  const symbol = form.entries.find(([key]) => key.kind === "symbol" && key.name === "stop")?.[0];
  if (symbol !== undefined) return refuse(symbol, "stop is a symbol here: write the keyword :stop");
  const stop = lookUp(form, "stop");
  if (stop === undefined || stop.kind === "nil" || stop.kind === "unreadable") return NOTHING;
  if (stop.kind !== "vector" && stop.kind !== "list") {
    return refuse(stop, ":stop must be a vector of hooks, as in {:stop [{:type :bash …}]}");
  }
  const readings = stop.items.map((item, index) => readHook(item, `hook ${index + 1}`, text));
  const hooks = readings.flatMap((reading) => reading.hooks);
  return {
    hooks: withOwnNames(hooks),
    errors: readings.flatMap((reading) => reading.errors),
    warnings: [...readings.flatMap((reading) => reading.warnings), ...repeatedNames(stop.items)],
  };
}

function refuse(form: EdnForm, message: string): Reading {
  return { ...NOTHING, errors: [{ start: form.start, message }] };
}

function readHook(form: EdnForm, label: string, text: string): Reading {
  if (form.kind === "unreadable") return NOTHING;
  if (form.kind !== "map") return refuse(form, `${label} must be a map`);
  const fields = new HookFields(form, nameOf(form) ?? label, text);
  const type = fields.required("type", field.hookType);
  const common = readCommon(fields);
  const gate = type && (type === "repl" ? readRepl(fields, common) : readBash(fields, common));
  fields.warnAboutStrangers();
  warnAboutRequired(fields);
  const { retryOnFailure, maxRetries, required } = common;
  const hooks = gate && fields.errors.length === 0 ? [{ gate, retryOnFailure, maxRetries, required }] : [];
  return { hooks, errors: fields.errors, warnings: fields.warnings };
}

type CommonFields = ReturnType<typeof readCommon>;

function readCommon(fields: HookFields) {
  return {
    name: fields.required("name", field.text) ?? "",
    retryOnFailure: fields.optional("retry-on-failure?", field.flag, false),
    maxRetries: fields.optional("max-retries", field.count, 10),
    required: fields.optional("required?", field.flag, false),
    timeoutMs: fields.optional("timeout", field.seconds, 60_000),
  };
}

const ALONE_AND_EVERYWHERE = {
  parallel: false,
  failFast: false,
  warnOnly: false,
  runInCi: true,
  runLocally: true,
} as const;

function readRepl(fields: HookFields, { name, timeoutMs, required }: CommonFields): ReplGate {
  const code = fields.required("code", field.code) ?? "";
  return { kind: "repl", name, timeoutMs, required, code, ...ALONE_AND_EVERYWHERE };
}

function readBash(fields: HookFields, { name, timeoutMs }: CommonFields): CheckGate {
  const command = fields.required("command", field.systemText) ?? "";
  const workingDirectory = directory(fields.optional("cwd", field.systemText, "."));
  const env = fields.environment();
  return { kind: "check", name, timeoutMs, command, workingDirectory, env, ...ALONE_AND_EVERYWHERE };
}

/** The root of the file system would read as the project's own; `/.` is the same place. */
function directory(cwd: string): ProjectPath {
  return projectPath(/^\/+$/.test(cwd) ? "/." : cwd);
}

function nameOf(hook: EdnMap): string | undefined {
  const name = lookUp(hook, "name");
  return name?.kind === "string" ? `hook "${name.value}"` : undefined;
}

/** In brepl 2.7 `:required?` decided what `:retry-on-failure?` decides now. */
function warnAboutRequired(fields: HookFields): void {
  const required = fields.find("required?");
  if (required?.kind !== "boolean" || !required.value || fields.find("retry-on-failure?")) return;
  fields.warn(required, ":required? does not make a failure block", {
    hint: "add :retry-on-failure? true to send the agent back to work, or false to keep it this way",
  });
}

/** Retries are counted by name, so the second hook of a name gets `name#2`, unless that is the name of another. */
function withOwnNames(hooks: readonly Hook[]): readonly Hook[] {
  const taken = new Set(hooks.map((hook) => hook.gate.name));
  const seen = new Set<string>();
  return hooks.map((hook) => {
    const { name } = hook.gate;
    if (!seen.has(name)) {
      seen.add(name);
      return hook;
    }
    let number = 2;
    while (taken.has(`${name}#${number}`)) number += 1;
    taken.add(`${name}#${number}`);
    return { ...hook, gate: { ...hook.gate, name: `${name}#${number}` } };
  });
}

function repeatedNames(hooks: readonly EdnForm[]): readonly EdnProblem[] {
  const names = hooks.flatMap((hook) => (hook.kind === "map" ? (lookUp(hook, "name") ?? []) : []));
  return names.flatMap((name, index) => {
    if (name.kind !== "string") return [];
    const isTaken = names
      .slice(0, index)
      .some((other) => other.kind === "string" && other.value === name.value);
    const message = `an earlier hook is called "${name.value}" too, so this one is counted and reported with a number`;
    return isTaken ? [{ start: name.start, message, hint: "give it a unique name" }] : [];
  });
}

function placeProblem(
  source: SourceText,
  { start, message, hint }: EdnProblem,
  severity: Diagnostic["severity"] = "error",
): Diagnostic {
  const lineStart = source.content.lastIndexOf("\n", start - 1) + 1;
  const line = source.content.slice(0, lineStart).split("\n").length;
  return source.complain({ line, column: start - lineStart + 1 }, { severity, message, hint });
}

export function printRetryCounts(counts: RetryCounts): string {
  const entries = [...counts].map(([name, count]) => `${printString(name)} ${count}`);
  return `{${entries.join(", ")}}\n`;
}

export function readRetryCounts(text: string): RetryCounts | undefined {
  const { form, problems } = readEdn(text);
  if (form?.kind !== "map" || problems.length > 0) return undefined;
  const entries = form.entries.map(readEntry).filter((entry) => entry !== undefined);
  return entries.length === form.entries.length ? new Map(entries) : undefined;
}

function readEntry([name, count]: readonly [EdnForm, EdnForm]): [string, number] | undefined {
  if (name.kind !== "string" || count.kind !== "integer" || count.value < 0) return undefined;
  return [name.value, Number(count.value)];
}

export interface Hook {
  readonly gate: CheckGate | ReplGate;
  readonly retryOnFailure: boolean;
  readonly maxRetries: number;
  /** Whether the user is warned if the hook cannot run at all. */
  readonly required: boolean;
}

export type RetryCounts = ReadonlyMap<string, number>;
