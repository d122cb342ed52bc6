import type { CheckGate, ReviewGate } from "../../gates/gate.ts";
import { didYouMean } from "../../words.ts";
import type { ConfigFiles } from "./config-files.ts";
import { type Declaration, byName, declareAt, ownFirst, reportBadName, unreadable } from "./declaration.ts";
import {
  type ReviewDeclaration,
  type Reviewers,
  declareReview,
  readReviews,
  toReviewGate,
} from "./read-reviews.ts";
import { readKeys, isPlainMap, type Place, readValue, valueAt } from "./read-value.ts";
import { withoutEffect } from "./without-effect.ts";
import { configSchema } from "./schema/schema.ts";
import { type YamlSource, parseYaml, type PathComplaint } from "../yaml/yaml-source.ts";
import { posix } from "node:path";
import { type ProjectPath, projectPath } from "../../path.ts";
import { type CheckFields, checkSchema, inlineCheckSchema } from "./schema/gate-schema.ts";
import { millisecondsOf } from "./schema/schema-parts.ts";

export interface GateTables {
  readonly checks: ReadonlyMap<string, Entry<CheckGate>>;
  readonly reviews: ReadonlyMap<string, Entry<ReviewGate>>;
  /** Gates that are written inside an entry point, by their path in config.yml. */
  readonly inEntryPoints: ReadonlyMap<string, Entry<CheckGate | ReviewGate>>;
}

export interface Entry<G> {
  readonly declaration: Declaration<unknown>;
  readonly gate?: G | undefined;
  /** `enabled: false` */
  readonly isOff?: boolean;
}

export async function readGates(config: YamlSource | undefined, files: ConfigFiles): Promise<GateTables> {
  const { report } = files;
  const inEntryPoints = new Map<string, Entry<CheckGate | ReviewGate>>();
  const checks = new Map<string, Entry<CheckGate>>();
  for (const [name, declaration] of byName(await readChecks(config, files), files))
    checks.set(name, await toCheck(declaration, files));
  for (const { source, path, name } of writtenInEntryPoints(config, "checks")) {
    const declaration = declareCheck(name, { source, path, report });
    reportBadName(declaration, report);
    const entry = await toCheck(declaration, files);
    inEntryPoints.set(path.join("."), entry);
    if (!checks.has(name)) checks.set(name, entry);
  }
  const named = byName(await readReviews(config, files), files);
  const inner: { readonly path: string; readonly declaration: ReviewDeclaration }[] = [];
  for (const { source, path, name } of writtenInEntryPoints(config, "reviews"))
    inner.push({
      path: path.join("."),
      declaration: await declareReview(name, { source, path, report }, files),
    });
  const declarations = [...named.values(), ...inner.map(({ declaration }) => declaration)];
  const reviewers = readReviewers(config, declarations, files);
  const reviews = new Map<string, Entry<ReviewGate>>();
  for (const [name, declaration] of named) reviews.set(name, toReview(declaration, reviewers));
  for (const { path, declaration } of inner) {
    reportBadName(declaration, report);
    const entry = toReview(declaration, reviewers);
    inEntryPoints.set(path, entry);
    if (!reviews.has(declaration.name)) reviews.set(declaration.name, entry);
  }
  const tables = { checks, reviews, inEntryPoints };
  reportNeeds(tables, files);
  return tables;
}

interface WrittenGate {
  readonly source: YamlSource;
  readonly path: readonly (string | number)[];
  readonly name: string;
}

/** `checks: [{ build: npm run build }]` of an entry point. */
function writtenInEntryPoints(
  config: YamlSource | undefined,
  key: "checks" | "reviews",
): readonly WrittenGate[] {
  const entryPoints = valueAt(config?.value, ["entry_points"]);
  if (config === undefined || !Array.isArray(entryPoints)) return [];
  return entryPoints.flatMap((entryPoint, index) => {
    const gates = valueAt(entryPoint, [key]);
    if (!Array.isArray(gates)) return [];
    return gates.flatMap((gate: unknown, at) =>
      isPlainMap(gate)
        ? Object.keys(gate).map((name) => ({
            source: config,
            path: ["entry_points", index, key, at, name],
            name,
          }))
        : [],
    );
  });
}

async function toCheck(declaration: Declaration<CheckFields>, files: ConfigFiles): Promise<Entry<CheckGate>> {
  const { fields } = declaration;
  if (fields === undefined) return { declaration };
  const gate = await toCheckGate(declaration, fields, files);
  return fields.enabled ? { declaration, gate } : { declaration, isOff: true };
}

function toReview(declaration: ReviewDeclaration, reviewers: Reviewers): Entry<ReviewGate> {
  const { name, fields } = declaration;
  if (fields === undefined) return { declaration };
  return fields.enabled
    ? { declaration, gate: toReviewGate(name, fields, reviewers) }
    : { declaration, isOff: true };
}

/** A need that names no gate, and a circle, in which no gate could ever start. */
function reportNeeds(tables: GateTables, { report }: ConfigFiles): void {
  const entries = [...tables.checks.values(), ...tables.reviews.values()];
  const names = [...tables.checks.keys(), ...tables.reviews.keys()];
  const needsOf = new Map(
    entries.flatMap(({ gate }) => (gate === undefined ? [] : [[gate.name, gate.needs ?? []]])),
  );
  for (const { gate, declaration } of entries) {
    for (const [index, need] of (gate?.needs ?? []).entries()) {
      const complaint = complaintAbout(need, gate?.name ?? "", names, needsOf);
      if (complaint !== undefined)
        report(declaration.complain(["needs", index], { ...complaint, at: "value" }));
    }
  }
}

function complaintAbout(
  need: string,
  name: string,
  names: readonly string[],
  needsOf: ReadonlyMap<string, readonly string[]>,
) {
  if (!names.includes(need)) {
    const others = names.filter((one) => one !== name);
    const known = others.length === 0 ? "remove this need" : `known gates: ${others.join(", ")}`;
    return { message: `there is no gate \`${need}\``, hint: didYouMean(need, others) ?? known };
  }
  if (need === name)
    return { message: `\`${name}\` needs itself, so it could never start`, hint: "remove this need" };
  if (!reaches(need, name, needsOf)) return undefined;
  return {
    message: `\`${name}\` and \`${need}\` need each other, so neither could start`,
    hint: "remove one of these needs",
  };
}

function reaches(from: string, to: string, needsOf: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === to) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    open.push(...(needsOf.get(name) ?? []));
  }
  return false;
}

export function allGates({ checks, reviews }: GateTables): (CheckGate | ReviewGate)[] {
  return [...checks.values(), ...reviews.values()].flatMap(({ gate }) => gate ?? []);
}

function readReviewers(
  config: YamlSource | undefined,
  reviews: readonly ReviewDeclaration[],
  { report }: ConfigFiles,
): Reviewers {
  if (config === undefined) return { preference: [] };
  const fields = readKeys({ cli: configSchema.shape.cli }, { source: config, path: [], report });
  const preference = fields?.cli?.default_preference;
  const needy = reviews.filter(
    ({ fields }) => fields?.enabled === true && fields.cli_preference === undefined,
  );
  if (fields !== undefined && preference === undefined && needy.length > 0)
    report(
      config.complain(["cli"], {
        message: `no reviewer is named for ${needy.map(({ name }) => `\`${name}\``).join(", ")}`,
        hint: "add `cli: { default_preference: [claude] }`, or `cli_preference` to the review",
      }),
    );
  return { preference: preference ?? [], adapters: fields?.cli?.adapters };
}

async function readChecks(
  config: YamlSource | undefined,
  files: ConfigFiles,
): Promise<readonly Declaration<CheckFields>[]> {
  const names = (await files.list(files.beside("checks"))).filter((name) => /^[^.].*\.ya?ml$/i.test(name));
  const fromFiles = await Promise.all(names.map((name) => readCheckFile(name, files)));
  const inline = config === undefined ? [] : readInlineChecks(config, files);
  return [...ownFirst(inline, fromFiles, (name) => config?.origin?.(["checks", name])), ...fromFiles];
}

async function toCheckGate(
  { name, complain, writtenAt }: Declaration<CheckFields>,
  fields: CheckFields,
  files: ConfigFiles,
): Promise<CheckGate> {
  const key = fields.fix_instructions === undefined ? "fix_instructions_file" : "fix_instructions";
  const instructions = await readInstructions(key, { name: fields[key], complain }, files);
  const { fix_with_skill: skill } = fields;
  const useSkill = skill === undefined ? undefined : `Use the skill \`${skill}\` to fix this.`;
  if (fields.rerun_command !== undefined && fields.reruns === 0)
    files.report(
      complain(["rerun_command"], {
        severity: "warning",
        message: withoutEffect("rerun_command") ?? "",
        hint: "set `reruns` to repeat a failed run with it",
      }),
    );
  const { working_directory: path } = fields;
  if (path !== undefined)
    files.expected.push({
      path,
      complain: (obstacle) => complain(["working_directory"], unusable(path, obstacle)),
    });
  const { needs, fix, shell, inputs, toolchain, parser } = fields;
  return {
    kind: "check",
    name,
    command: fields.command,
    parallel: fields.parallel ?? !fields.fail_fast,
    failFast: fields.fail_fast,
    timeoutMs: millisecondsOf(fields.timeout),
    warnOnly: fields.warn_only,
    runInCi: fields.run_in_ci,
    runLocally: fields.run_locally,
    env: Object.fromEntries(
      Object.entries(fields.env).map(([key, value]) => [
        key,
        typeof value === "string" ? value : (writtenAt(["env", key]) ?? String(value)),
      ]),
    ),
    ...eventsOf(fields),
    needs,
    fix,
    shell,
    inputs,
    runOn: fields.run_on,
    platform: fields.platform,
    toolchain,
    files: fields.files,
    parser,
    workingDirectory: path === undefined ? undefined : projectPath(posix.normalize(path)),
    reruns: fields.reruns === 0 ? undefined : fields.reruns,
    rerunCommand: fields.reruns === 0 ? undefined : fields.rerun_command,
    fixInstructions: [instructions, useSkill].filter((text) => text !== undefined).join("\n") || undefined,
    onlyNew: fields.only_new,
    report: normalized(fields.report),
    coverage: normalized(fields.coverage),
  };
}

const EDIT_TIMEOUT_SECONDS = 5;

/** An edit is no stop: a check that names nothing else runs at every stop too. */
function eventsOf({ on, edit_timeout, edit_fix }: CheckFields): Pick<CheckGate, "on" | "onEdit"> {
  const stops = on?.filter((kind) => kind !== "edit");
  if (on === undefined || stops?.length === on.length) return { on: stops };
  const timeoutMs = millisecondsOf(edit_timeout ?? EDIT_TIMEOUT_SECONDS);
  return { on: stops?.length === 0 ? undefined : stops, onEdit: { timeoutMs, mayFix: edit_fix ?? false } };
}

function normalized(path: string | undefined): ProjectPath | undefined {
  return path === undefined ? undefined : projectPath(posix.normalize(path));
}

function unusable(path: string, obstacle: string): PathComplaint {
  return {
    severity: "warning",
    message: `the working directory \`${path}\` ${obstacle}`,
    hint: "the path is relative to the root of the project",
    at: "value",
  };
}

function readInlineChecks(config: YamlSource, { report }: ConfigFiles): Declaration<CheckFields>[] {
  const value = valueAt(config.value, ["checks"]) ?? undefined;
  if (!isPlainMap(value)) {
    if (value !== undefined)
      readValue(configSchema.shape.checks, { source: config, path: ["checks"], report });
    return [];
  }
  return Object.keys(value).map((name) =>
    declareCheck(name, { source: config, path: ["checks", name], report }),
  );
}

function declareCheck(name: string, place: Place): Declaration<CheckFields> {
  const read = readValue(inlineCheckSchema, place);
  return declareAt(name, typeof read === "string" ? checkSchema.parse({ command: read }) : read, place);
}

async function readCheckFile(fileName: string, files: ConfigFiles): Promise<Declaration<CheckFields>> {
  const file = files.beside(`checks/${fileName}`);
  const name = fileName.replace(/\.ya?ml$/i, "");
  const text = await files.read(file);
  const parsed = typeof text === "string" ? undefined : parseYaml(text);
  for (const diagnostic of parsed?.diagnostics ?? []) files.report(diagnostic);
  if (parsed?.source === undefined) return unreadable(name, file);
  const place = { source: parsed.source, path: [], report: files.report };
  return declareAt(name, readValue(checkSchema, place), place);
}

async function readInstructions(
  key: "fix_instructions" | "fix_instructions_file",
  { name, complain }: { name: string | undefined; complain: Declaration<unknown>["complain"] },
  files: ConfigFiles,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const file = posix.normalize(files.beside(name));
  const text = await files.read(file);
  if (text === "missing")
    files.report(
      complain([key], {
        message: `${file} does not exist`,
        hint: `the path is relative to \`${files.beside("")}\``,
        at: "value",
      }),
    );
  return typeof text === "string" ? undefined : text.content.trim();
}
