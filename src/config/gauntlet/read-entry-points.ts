import type { Diagnostic } from "../../trouble.ts";
import { didYouMean } from "../../words.ts";
import { projectPath } from "../../path.ts";
import type { EntryPoint } from "../settings.ts";
import { BUILTIN_REVIEW_NAMES } from "./builtin-reviews.ts";
import type { ConfigFiles } from "./config-files.ts";
import { type Entry, type GateTables, allGates } from "./gate-tables.ts";
import { isPlainMap, readValue, valueAt } from "./read-value.ts";
import { configSchema, entryPointSchema } from "./schema/schema.ts";
import type { YamlSource } from "../yaml/yaml-source.ts";
import type { CheckGate, ReviewGate } from "../../gates/gate.ts";

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

export const GATES_NOTHING = "no gate can ever run, so nothing is checked";

/** Warnings that `validate` treats as errors. A stop does not, because the other gates still run. */
export function isErrorOfValidate({ message }: Diagnostic): boolean {
  return message === GATES_NOTHING || /^there is no (?:check|review) `/.test(message);
}

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
  const gates = [...resolveNames("checks", tables, where), ...resolveNames("reviews", tables, where)];
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

/** The names are looked up even if the entry point has other problems. */
function resolveNames(
  key: "checks" | "reviews",
  tables: GateTables,
  { config, index, report }: WhereInList,
): (CheckGate | ReviewGate)[] {
  const table: ReadonlyMap<string, Entry<CheckGate | ReviewGate>> = tables[key];
  const path = ["entry_points", index, key];
  const value = valueAt(config.value, path);
  const written: readonly unknown[] = Array.isArray(value) ? value : [];
  const gates = new Map<string, CheckGate | ReviewGate | undefined>();
  for (const [place, one] of written.entries()) {
    const inner = isPlainMap(one) ? Object.keys(one) : [];
    for (const name of typeof one === "string" ? [one] : inner) {
      const isNamed = typeof one === "string";
      const entry = isNamed ? table.get(name) : tables.inEntryPoints.get([...path, place, name].join("."));
      if (!gates.has(name)) gates.set(name, entry?.gate);
      if (entry === undefined)
        report(
          config.complain([...path, place], {
            severity: "warning",
            message: `there is no ${key === "checks" ? "check" : "review"} \`${name}\`, so it does not run`,
            hint: hintForUnknown(name, key, [...table.keys()]),
            at: "value",
          }),
        );
    }
  }
  return [...gates.values()].flatMap((gate) => gate ?? []);
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
