import type { CheckGate, ReviewGate } from "../../core/gate.ts";
import { didYouMean } from "../../core/did-you-mean.ts";
import type { ConfigFiles } from "./config-files.ts";
import { type Declaration, byName } from "./declaration.ts";
import { readChecks, toCheckGate } from "./read-checks.ts";
import { type ReviewDeclaration, readReviews, toReviewGate } from "./read-reviews.ts";
import { readKeys } from "./read-value.ts";
import { configSchema } from "./schema/schema.ts";
import type { YamlSource } from "../yaml/yaml-source.ts";

/** Every gate of the project by name; a gate that is not valid is known without being usable. */
export interface GateTables {
  readonly checks: ReadonlyMap<string, Entry<CheckGate>>;
  readonly reviews: ReadonlyMap<string, Entry<ReviewGate>>;
}

interface Entry<G> {
  readonly declaration: Declaration<unknown>;
  readonly gate?: G | undefined;
}

/** Reads the gates from config.yml and from their own files. */
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

/** Needs that no gate has the name of, and circles, in which no gate could ever start. */
function reportNeeds(tables: GateTables, { report }: ConfigFiles): void {
  const entries = [...tables.checks.values(), ...tables.reviews.values()];
  const names = [...tables.checks.keys(), ...tables.reviews.keys()];
  const needsOf = new Map(
    entries.flatMap(({ gate }) => (gate === undefined ? [] : [[gate.name, gate.needs ?? []]])),
  );
  for (const { gate, declaration } of entries) {
    for (const [index, need] of (gate?.needs ?? []).entries()) {
      const complaint = complaintAbout(need, { name: gate?.name ?? "", names, needsOf });
      if (complaint !== undefined)
        report(declaration.complain(["needs", index], { ...complaint, at: "value" }));
    }
  }
}

interface KnownNeeds {
  readonly name: string;
  readonly names: readonly string[];
  readonly needsOf: ReadonlyMap<string, readonly string[]>;
}

function complaintAbout(need: string, { name, names, needsOf }: KnownNeeds) {
  if (!names.includes(need))
    return {
      message: `there is no gate \`${need}\``,
      hint: didYouMean(need, names) ?? `known gates: ${names.join(", ")}`,
    };
  const isCircle = reaches(need, name, needsOf);
  return isCircle
    ? {
        message: `\`${name}\` and \`${need}\` need each other, so neither could start`,
        hint: "remove one of these needs",
      }
    : undefined;
}

/** Whether one gate needs another, directly or through others. */
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

/** The reviewers for reviews that name none; one must be there if such a review is. */
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
