import { didYouMean } from "../../words.ts";
import { projectPath } from "../../path.ts";
import type { EntryPoint } from "../settings.ts";
import { BUILTIN_REVIEW_NAMES } from "./builtin-reviews.ts";
import type { ConfigFiles } from "./config-files.ts";
import type { Declaration } from "./declaration.ts";
import { type GateTables, allGates } from "./gate-tables.ts";
import { readValue, valueAt } from "./read-value.ts";
import { configSchema, entryPointSchema } from "./schema/schema.ts";
import type { YamlSource } from "../yaml/yaml-source.ts";

export function readEntryPoints(
  config: YamlSource,
  tables: GateTables,
  files: ConfigFiles,
): readonly EntryPoint[] {
  const { report } = files;
  const value = valueAt(config.value, ["entry_points"]) ?? undefined;
  if (value === undefined || value === "auto") {
    const gates = allGates(tables);
    const whole =
      value === "auto"
        ? { path: "auto", exclude: [], gates, isAuto: true as const }
        : { path: ".", exclude: [], gates };
    if (files.isSound) reportGatesNothing([whole], tables, { config, report });
    return [whole];
  }
  if (!Array.isArray(value) || value.length === 0) {
    readValue(configSchema.shape.entry_points, { source: config, path: ["entry_points"], report });
    return [];
  }
  const read = value.map((_, index) => readEntryPoint(tables, { config, index, report }));
  const entryPoints = read.filter((entryPoint) => entryPoint !== undefined);
  reportSamePaths(read, { config, report });
  if (files.isSound) {
    reportGatesNothing(entryPoints, tables, { config, report });
    reportUnused(entryPoints, tables, report);
  }
  return entryPoints;
}

interface Where {
  readonly config: YamlSource;
  readonly report: ConfigFiles["report"];
}

type WhereInList = Where & { readonly index: number };

/** The only warning that `validate` treats as an error. */
export const GATES_NOTHING = "no gate can ever run, so nothing is checked";

function reportGatesNothing(
  entryPoints: readonly EntryPoint[],
  tables: GateTables,
  { config, report }: Where,
): void {
  const used = entryPoints.flatMap(({ gates }) => gates);
  if (used.some(({ runLocally, runInCi }) => runLocally || runInCi)) return;
  const unused = allGates(tables).length > 0 ? UNNAMED : UNWRITTEN;
  const hint = used.length > 0 ? EVERYWHERE_OFF : unused;
  report(config.complain([], { severity: "warning", message: GATES_NOTHING, hint }));
}

const EVERYWHERE_OFF = "set `run_locally` or `run_in_ci` of a gate to true";
const UNNAMED = "name a gate in the `checks:` or `reviews:` of an entry point";
const UNWRITTEN = "add `checks:` with a line such as `  test: npm test`";

function readEntryPoint(tables: GateTables, where: WhereInList): EntryPoint | undefined {
  const { config, index, report } = where;
  const gates = [
    ...resolveNames({ key: "checks", table: tables.checks }, where),
    ...resolveNames({ key: "reviews", table: tables.reviews }, where),
  ];
  const path = ["entry_points", index];
  const fields = readValue(entryPointSchema, { source: config, path, report });
  if (fields === undefined) return undefined;
  if (fields.checks.length + fields.reviews.length === 0)
    report(
      config.complain(path, {
        severity: "warning",
        message: `the entry point \`${fields.path}\` has no gates, so its changes are not checked`,
        hint: "add `checks:` or `reviews:` to it",
      }),
    );
  return { path: cleanPath(fields.path), exclude: fields.exclude.map(cleanPath), gates };
}

interface Names<G> {
  readonly key: "checks" | "reviews";
  readonly table: ReadonlyMap<
    string,
    { readonly declaration: Declaration<unknown>; readonly gate?: G | undefined }
  >;
}

function resolveNames<G>({ key, table }: Names<G>, { config, index, report }: WhereInList): G[] {
  const path = ["entry_points", index, key];
  const value = valueAt(config.value, path);
  const names: readonly unknown[] = Array.isArray(value) ? value : [];
  for (const [place, name] of names.entries()) {
    if (typeof name !== "string" || table.has(name)) continue;
    report(
      config.complain([...path, place], {
        message: `there is no ${key === "checks" ? "check" : "review"} \`${name}\``,
        hint: hintForUnknown(name, key, [...table.keys()]),
        at: "value",
      }),
    );
  }
  return [...new Set(names)].flatMap((name) =>
    typeof name === "string" ? (table.get(name)?.gate ?? []) : [],
  );
}

function hintForUnknown(name: string, key: "checks" | "reviews", known: readonly string[]): string {
  if (key === "reviews" && BUILTIN_REVIEW_NAMES.some((builtin) => builtin === name))
    return `it is built in: add \`reviews: [${name}]\` at the top of config.yml`;
  const files = key === "checks" ? `.gauntlet/checks/${name}.yml` : `.gauntlet/reviews/${name}.md`;
  return didYouMean(name, known) ?? `define it under \`${key}:\` or in ${files}`;
}

function reportSamePaths(read: readonly (EntryPoint | undefined)[], { config, report }: Where): void {
  const seen = new Set<string>();
  for (const [index, entryPoint] of read.entries()) {
    if (entryPoint === undefined) continue;
    if (seen.has(entryPoint.path))
      report(
        config.complain(["entry_points", index, "path"], {
          message: `the entry point \`${entryPoint.path}\` is listed twice`,
          hint: "put its gates into one entry point",
        }),
      );
    seen.add(entryPoint.path);
  }
}

function reportUnused(
  entryPoints: readonly EntryPoint[],
  tables: GateTables,
  report: ConfigFiles["report"],
): void {
  const used = new Set(entryPoints.flatMap(({ gates }) => gates));
  for (const { declaration, gate } of [...tables.checks.values(), ...tables.reviews.values()]) {
    if (gate === undefined || used.has(gate)) continue;
    report(
      declaration.complain([], {
        severity: "warning",
        message: `the ${gate.kind} \`${gate.name}\` is not used by any entry point, so it never runs`,
        hint: `add it to the \`${gate.kind}s:\` of an entry point`,
      }),
    );
  }
}

function cleanPath(path: string): string {
  return projectPath(path.replaceAll(/\/(?:\.?\/)+/g, "/"));
}
