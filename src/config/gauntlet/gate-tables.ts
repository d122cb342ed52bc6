import type { CheckGate, ReviewGate } from "../../gates/gate.ts";
import { didYouMean } from "../../words.ts";
import type { ConfigFiles } from "./config-files.ts";
import { type Declaration, byName, declareAt, ownFirst, unreadable } from "./declaration.ts";
import { type ReviewDeclaration, readReviews, toReviewGate } from "./read-reviews.ts";
import { readKeys, isPlainMap, readValue, valueAt } from "./read-value.ts";
import { configSchema } from "./schema/schema.ts";
import { type YamlSource, parseYaml, type PathComplaint } from "../yaml/yaml-source.ts";
import { posix } from "node:path";
import { projectPath } from "../../path.ts";
import { type CheckFields, checkSchema, inlineCheckSchema } from "./schema/gate-schema.ts";
import { millisecondsOf } from "./schema/schema-parts.ts";

export interface GateTables {
  readonly checks: ReadonlyMap<string, Entry<CheckGate>>;
  readonly reviews: ReadonlyMap<string, Entry<ReviewGate>>;
}

interface Entry<G> {
  readonly declaration: Declaration<unknown>;
  readonly gate?: G | undefined;
}

export async function readGates(config: YamlSource | undefined, files: ConfigFiles): Promise<GateTables> {
  const checks = byName(await readChecks(config, files), files);
  const reviews = byName(await readReviews(config, files), files);
  const preference = readDefaultPreference(config, [...reviews.values()], files);
  const checkEntries = await Promise.all(
    [...checks].map(async ([name, declaration]): Promise<[string, Entry<CheckGate>]> => {
      const { fields } = declaration;
      return [name, { declaration, gate: fields && (await toCheckGate(declaration, fields, files)) }];
    }),
  );
  const reviewEntries = [...reviews].map(([name, declaration]): [string, Entry<ReviewGate>] => {
    const { fields } = declaration;
    return [name, { declaration, gate: fields && toReviewGate(name, fields, preference) }];
  });
  const tables = { checks: new Map(checkEntries), reviews: new Map(reviewEntries) };
  reportNeeds(tables, files);
  return tables;
}

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

function readDefaultPreference(
  config: YamlSource | undefined,
  reviews: readonly ReviewDeclaration[],
  { report }: ConfigFiles,
): readonly string[] {
  if (config === undefined) return [];
  const fields = readKeys({ cli: configSchema.shape.cli }, { source: config, path: [], report });
  const preference = fields?.cli?.default_preference;
  const needy = reviews.filter(({ fields }) => fields !== undefined && fields.cli_preference === undefined);
  if (fields !== undefined && preference === undefined && needy.length > 0)
    report(
      config.complain(["cli"], {
        message: `no reviewer is named for ${needy.map(({ name }) => `\`${name}\``).join(", ")}`,
        hint: "add `cli: { default_preference: [claude] }`, or `cli_preference` to the review",
      }),
    );
  return preference ?? [];
}

const CHECKS_DIRECTORY = ".gauntlet/checks";

async function readChecks(
  config: YamlSource | undefined,
  files: ConfigFiles,
): Promise<readonly Declaration<CheckFields>[]> {
  const names = (await files.list(CHECKS_DIRECTORY)).filter((name) => /^[^.].*\.ya?ml$/i.test(name));
  const fromFiles = await Promise.all(names.map((name) => readCheckFile(name, files)));
  const inline = config === undefined ? [] : readInlineChecks(config, files);
  return [...ownFirst(inline, fromFiles, (name) => config?.origin?.(["checks", name])), ...fromFiles];
}

async function toCheckGate(
  { name, complain, writtenAt }: Declaration<CheckFields>,
  fields: CheckFields,
  files: ConfigFiles,
): Promise<CheckGate> {
  const instructions = await readInstructions(fields.fix_instructions, complain, files);
  const { working_directory: path } = fields;
  if (path !== undefined)
    files.expected.push({
      path,
      complain: (obstacle) => complain(["working_directory"], unusable(path, obstacle)),
    });
  const { on, needs, fix, shell, inputs, toolchain, parser } = fields;
  return {
    kind: "check",
    name,
    command: fields.command,
    parallel: fields.parallel,
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
    on,
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
    rerunCommand: fields.rerun_command,
    fixInstructions: instructions,
    onlyNew: fields.only_new,
    report: fields.report === undefined ? undefined : projectPath(posix.normalize(fields.report)),
  };
}

function unusable(path: string, obstacle: string): PathComplaint {
  return {
    severity: "warning",
    message: `the working directory \`${path}\` ${obstacle}`,
    hint: "the path is relative to the directory that holds `.gauntlet`",
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
  return Object.keys(value).map((name) => {
    const place = { source: config, path: ["checks", name], report };
    const read = readValue(inlineCheckSchema, place);
    return declareAt(name, typeof read === "string" ? checkSchema.parse({ command: read }) : read, place);
  });
}

async function readCheckFile(fileName: string, files: ConfigFiles): Promise<Declaration<CheckFields>> {
  const file = `${CHECKS_DIRECTORY}/${fileName}`;
  const name = fileName.replace(/\.ya?ml$/i, "");
  const text = await files.read(file);
  const parsed = typeof text === "string" ? undefined : parseYaml(text);
  for (const diagnostic of parsed?.diagnostics ?? []) files.report(diagnostic);
  if (parsed?.source === undefined) return unreadable(name, file);
  const place = { source: parsed.source, path: [], report: files.report };
  return declareAt(name, readValue(checkSchema, place), place);
}

async function readInstructions(
  path: string | undefined,
  complain: Declaration<unknown>["complain"],
  files: ConfigFiles,
): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const file = posix.join(".gauntlet", path);
  const text = await files.read(file);
  if (text === "missing")
    files.report(
      complain(["fix_instructions"], {
        message: `${file} does not exist`,
        hint: "the path is relative to `.gauntlet/`",
        at: "value",
      }),
    );
  return typeof text === "string" ? undefined : text.content.trim();
}
