import type { ReviewGate } from "../../gates/gate.ts";
import { SourceText } from "../source-text.ts";
import { type BuiltinReview, BUILTIN_REVIEWS } from "./builtin-reviews.ts";
import type { ConfigFiles } from "./config-files.ts";
import { type Declaration, declareAt, unreadable, ownFirst } from "./declaration.ts";
import { isPlainMap, readValue, valueAt } from "./read-value.ts";
import {
  type InlineReviewFields,
  type ReviewFields,
  builtinReviewSchema,
  inlineReviewSchema,
  reviewSchema,
} from "./schema/gate-schema.ts";
import { configSchema } from "./schema/schema.ts";
import { millisecondsOf } from "./schema/schema-parts.ts";
import { type YamlSource, parseYaml } from "../yaml/yaml-source.ts";
import type { Diagnostic } from "../../trouble.ts";

const REVIEWS_DIRECTORY = ".gauntlet/reviews";

export type ReviewDeclaration = Declaration<ReviewFields & { readonly prompt: string }>;

export async function readReviews(
  config: YamlSource | undefined,
  files: ConfigFiles,
): Promise<readonly ReviewDeclaration[]> {
  const names = (await files.list(REVIEWS_DIRECTORY)).filter((name) => /^[^.].*\.md$/i.test(name));
  const fromFiles = await Promise.all(names.map((name) => readReviewFile(name, files)));
  const inline = config === undefined ? [] : readInlineReviews(config, files);
  return [...ownFirst(inline, fromFiles, (name) => config?.origin?.(["reviews", name])), ...fromFiles];
}

export function toReviewGate(
  name: string,
  fields: ReviewFields & { readonly prompt: string },
  defaultPreference: readonly string[],
): ReviewGate {
  return {
    kind: "review",
    name,
    prompt: fields.prompt,
    cliPreference: fields.cli_preference ?? defaultPreference,
    numReviews: fields.num_reviews,
    model: fields.model,
    maxRounds: fields.max_rounds,
    minPriority: fields.min_priority,
    onUnavailable: fields.on_unavailable,
    parallel: fields.parallel,
    failFast: false,
    timeoutMs: millisecondsOf(fields.timeout),
    warnOnly: false,
    runInCi: fields.run_in_ci,
    runLocally: fields.run_locally,
    on: fields.on,
    needs: fields.needs,
  };
}

function readInlineReviews(config: YamlSource, { report }: ConfigFiles): ReviewDeclaration[] {
  const value = valueAt(config.value, ["reviews"]) ?? undefined;
  if (Array.isArray(value)) return value.flatMap((_, index) => readBuiltin(config, index, report));
  if (!isPlainMap(value)) {
    if (value !== undefined)
      readValue(configSchema.shape.reviews, { source: config, path: ["reviews"], report });
    return [];
  }
  return Object.keys(value).map((name) => {
    const place = { source: config, path: ["reviews", name], report };
    return declareAt(name, withPrompt(readValue(inlineReviewSchema, place)), place);
  });
}

function readBuiltin(config: YamlSource, index: number, report: ConfigFiles["report"]): ReviewDeclaration[] {
  const place = { source: config, path: ["reviews", index], report };
  const name = readValue(builtinReviewSchema, place);
  return name === undefined ? [] : [declareAt(name, withPrompt({ builtin: name, ...DEFAULTS }), place)];
}

async function readReviewFile(fileName: string, files: ConfigFiles): Promise<ReviewDeclaration> {
  const file = `${REVIEWS_DIRECTORY}/${fileName}`;
  const name = fileName.replace(/\.md$/i, "");
  const text = await files.read(file);
  if (typeof text === "string") return unreadable(name, file);
  const { head, body, diagnostics } = splitFrontMatter(text);
  const parsed = parseYaml(head ?? new SourceText(file, ""));
  for (const diagnostic of [...diagnostics, ...parsed.diagnostics]) files.report(diagnostic);
  if (body === "" && diagnostics.length === 0)
    files.report(text.complainAboutFile("has no prompt: write what the reviewer should look for"));
  if (parsed.source === undefined) return unreadable(name, file);
  const place = { source: parsed.source, path: [], report: files.report };
  // No head, or a head of nothing but comments.
  const fields = parsed.source.value === null ? DEFAULTS : readValue(reviewSchema, place);
  return declareAt(name, fields === undefined ? undefined : { ...fields, prompt: body }, place);
}

const DEFAULTS: ReviewFields = reviewSchema.parse({});

function withPrompt(fields: string | InlineReviewFields | undefined): ReviewDeclaration["fields"] {
  if (fields === undefined) return undefined;
  if (typeof fields === "string") return { ...DEFAULTS, prompt: fields };
  return { ...fields, prompt: fields.prompt ?? builtinPrompt(fields.builtin) };
}

function builtinPrompt(name: BuiltinReview | undefined): string {
  return name === undefined ? "" : BUILTIN_REVIEWS[name];
}

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
