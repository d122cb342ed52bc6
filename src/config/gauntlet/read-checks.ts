import { posix } from "node:path";
import type { CheckGate } from "../../core/gate.ts";
import { definedOnly } from "../../core/defined-only.ts";
import { projectPath } from "../../core/path.ts";
import type { ConfigFiles } from "./config-files.ts";
import { type Declaration, declareAt, ownFirst, unreadable } from "./declaration.ts";
import { isPlainMap, readValue, valueAt } from "./read-value.ts";
import { type CheckFields, checkSchema, inlineCheckSchema } from "./schema/gate-schema.ts";
import { configSchema } from "./schema/schema.ts";
import { millisecondsOf } from "./schema/schema-parts.ts";
import { type YamlSource, parseYaml, type PathComplaint } from "../yaml/yaml-source.ts";

const CHECKS_DIRECTORY = ".gauntlet/checks";

/** Every check the project declares, in config.yml first, then in files of their own. */
export async function readChecks(
  config: YamlSource | undefined,
  files: ConfigFiles,
): Promise<readonly Declaration<CheckFields>[]> {
  const names = (await files.list(CHECKS_DIRECTORY)).filter((name) => /^[^.].*\.ya?ml$/i.test(name));
  const fromFiles = await Promise.all(names.map((name) => readCheckFile(name, files)));
  const inline = config === undefined ? [] : readInlineChecks(config, files);
  return [...ownFirst(inline, fromFiles, (name) => config?.origin?.(["checks", name])), ...fromFiles];
}

/** The check as the engine knows it, with the text of its fix instructions. */
export async function toCheckGate(
  { name, complain, writtenAt }: Declaration<CheckFields>,
  fields: CheckFields,
  files: ConfigFiles,
): Promise<CheckGate> {
  const instructions = await readInstructions(fields.fix_instructions, { complain }, files);
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
    ...definedOnly({
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
    }),
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
  { complain }: Pick<Declaration<unknown>, "complain">,
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
