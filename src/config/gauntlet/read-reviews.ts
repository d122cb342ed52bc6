import type { ReviewGate } from "../../gates/gate.ts";
import { SourceText } from "../source-text.ts";
import { BUILTIN_REVIEWS } from "./builtin-reviews.ts";
import type { ConfigFiles } from "./config-files.ts";
import { type Declaration, declareAt, unreadable, ownFirst } from "./declaration.ts";
import { isPlainMap, type Place, readValue, valueAt } from "./read-value.ts";
import {
  type AdapterFields,
  type ReviewFields,
  builtinReviewSchema,
  inlineReviewSchema,
  reviewFileSchema,
  reviewSchema,
} from "./schema/gate-schema.ts";
import { configSchema } from "./schema/schema.ts";
import { millisecondsOf } from "./schema/schema-parts.ts";
import { type YamlSource, parseYaml } from "../yaml/yaml-source.ts";
import type { Diagnostic } from "../../trouble.ts";

export type ReviewDeclaration = Declaration<ReviewFields & { readonly prompt: string }>;

export async function readReviews(
  config: YamlSource | undefined,
  files: ConfigFiles,
): Promise<readonly ReviewDeclaration[]> {
  const names = (await files.list(files.beside("reviews"))).filter((name) =>
    /^[^.].*\.(?:md|ya?ml)$/i.test(name),
  );
  const fromFiles = await Promise.all(
    names.map((name) => (/\.md$/i.test(name) ? readReviewFile(name, files) : readReviewYaml(name, files))),
  );
  const inline = config === undefined ? [] : await readInlineReviews(config, files);
  return [...ownFirst(inline, fromFiles, (name) => config?.origin?.(["reviews", name])), ...fromFiles];
}

/** Who reviews if a review names nobody, and how reviewers are called. */
export interface Reviewers {
  readonly preference: readonly string[];
  readonly adapters?: AdapterFields | undefined;
}

export function toReviewGate(
  name: string,
  fields: ReviewFields & { readonly prompt: string },
  { preference, adapters }: Reviewers,
): ReviewGate {
  return {
    kind: "review",
    name,
    prompt: fields.prompt,
    cliPreference: fields.cli_preference ?? preference,
    numReviews: fields.num_reviews,
    model: fields.model,
    maxRounds: fields.max_rounds,
    minPriority: fields.min_priority,
    onUnavailable: fields.on_unavailable,
    adapters: adapters && toAdapters(adapters),
    parallel: fields.parallel ?? !fields.fail_fast,
    failFast: fields.fail_fast,
    timeoutMs: millisecondsOf(fields.timeout),
    warnOnly: false,
    runInCi: fields.run_in_ci,
    runLocally: fields.run_locally,
    on: fields.on,
    needs: fields.needs,
  };
}

function toAdapters(adapters: AdapterFields): ReviewGate["adapters"] {
  return Object.fromEntries(
    Object.entries(adapters).map(([name, { model, thinking_budget, allow_tool_use }]) => [
      name,
      { model, thinkingBudget: thinking_budget, mayUseTools: allow_tool_use },
    ]),
  );
}

async function readInlineReviews(config: YamlSource, files: ConfigFiles): Promise<ReviewDeclaration[]> {
  const { report } = files;
  const value = valueAt(config.value, ["reviews"]) ?? undefined;
  if (Array.isArray(value)) return value.flatMap((_, index) => readBuiltin(config, index, report));
  if (!isPlainMap(value)) {
    if (value !== undefined)
      readValue(configSchema.shape.reviews, { source: config, path: ["reviews"], report });
    return [];
  }
  const names = Object.keys(value);
  return Promise.all(
    names.map((name) => declareReview(name, { source: config, path: ["reviews", name], report }, files)),
  );
}

export async function declareReview(
  name: string,
  place: Place,
  files: ConfigFiles,
): Promise<ReviewDeclaration> {
  const read = readValue(inlineReviewSchema, place);
  const fields = typeof read === "string" ? { ...DEFAULTS, prompt: read } : read;
  const declaration = declareAt(name, fields, place);
  return withPrompt(declaration, fields?.prompt, files);
}

function readBuiltin(config: YamlSource, index: number, report: ConfigFiles["report"]): ReviewDeclaration[] {
  const place = { source: config, path: ["reviews", index], report };
  const name = readValue(builtinReviewSchema, place);
  if (name === undefined) return [];
  return [declareAt(name, { ...DEFAULTS, builtin: name, prompt: BUILTIN_REVIEWS[name] }, place)];
}

async function readReviewFile(fileName: string, files: ConfigFiles): Promise<ReviewDeclaration> {
  const file = files.beside(`reviews/${fileName}`);
  const name = fileName.replace(/\.md$/i, "");
  const text = await files.read(file);
  if (typeof text === "string") return unreadable(name, file);
  const { head, body, diagnostics } = splitFrontMatter(text);
  const parsed = parseYaml(head ?? new SourceText(file, ""));
  for (const diagnostic of [...diagnostics, ...parsed.diagnostics]) files.report(diagnostic);
  if (parsed.source === undefined) return unreadable(name, file);
  const place = { source: parsed.source, path: [], report: files.report };
  // No head, or a head of nothing but comments.
  const fields = parsed.source.value === null ? DEFAULTS : readValue(reviewSchema, place);
  const declaration = await withPrompt(declareAt(name, fields, place), undefined, files);
  if (fields === undefined || declaration.fields?.prompt !== "") return declaration;
  if (body === "" && diagnostics.length === 0)
    files.report(text.complainAboutFile("has no prompt: write what the reviewer should look for"));
  return { ...declaration, fields: { ...fields, prompt: body } };
}

async function readReviewYaml(fileName: string, files: ConfigFiles): Promise<ReviewDeclaration> {
  const file = files.beside(`reviews/${fileName}`);
  const name = fileName.replace(/\.ya?ml$/i, "");
  const text = await files.read(file);
  const parsed = typeof text === "string" ? undefined : parseYaml(text);
  for (const diagnostic of parsed?.diagnostics ?? []) files.report(diagnostic);
  if (parsed?.source === undefined) return unreadable(name, file);
  const place = { source: parsed.source, path: [], report: files.report };
  const fields = readValue(reviewFileSchema, place);
  return withPrompt(declareAt(name, fields, place), fields?.prompt, files);
}

const DEFAULTS: ReviewFields = reviewSchema.parse({});

/** Adds the prompt that the fields name; empty if they name none. */
async function withPrompt(
  declaration: Declaration<ReviewFields>,
  written: string | undefined,
  files: ConfigFiles,
): Promise<ReviewDeclaration> {
  const { fields } = declaration;
  if (fields === undefined) return { ...declaration, fields: undefined };
  const prompt = written ?? (await namedPrompt(declaration, fields, files));
  return { ...declaration, fields: { ...fields, prompt } };
}

async function namedPrompt(
  { complain }: Declaration<ReviewFields>,
  { builtin, prompt_file: file, skill_name: skill, enabled }: ReviewFields,
  files: ConfigFiles,
): Promise<string> {
  if (builtin !== undefined) return BUILTIN_REVIEWS[builtin];
  const key = file === undefined ? "skill_name" : "prompt_file";
  const places =
    file === undefined ? SKILLS.map((folder) => `${folder}/${skill}/SKILL.md`) : [files.beside(file)];
  if (file === undefined && skill === undefined) return "";
  for (const place of places) {
    const text = await files.read(place);
    if (typeof text !== "string") return splitFrontMatter(text).body;
  }
  if (enabled)
    files.report(
      complain([key], {
        message: `${places.join(" and ")} do not exist`.replace(/^(\S+) do not/, "$1 does not"),
        at: "value",
      }),
    );
  return "";
}

/** Where agents keep the skills of a project. */
const SKILLS = [".claude/skills", ".agents/skills"];

interface FrontMatter {
  readonly head?: SourceText;
  readonly body: string;
  readonly diagnostics: readonly Diagnostic[];
}

const FENCE = /^---[ \t]*$/;

function splitFrontMatter(text: SourceText): FrontMatter {
  const lines = text.content.split(/\r?\n/);
  if (!FENCE.test(lines[0] ?? "")) return { body: lines.join("\n").trim(), diagnostics: [] };
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end === -1) {
    const complaint = { message: "the front matter is not closed", hint: "end it with a line `---`" };
    return { body: "", diagnostics: [text.complain({ line: 1, column: 1 }, complaint)] };
  }
  const head = new SourceText(text.file, lines.slice(1, end).join("\n"), 1);
  return {
    head,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
    diagnostics: [],
  };
}
