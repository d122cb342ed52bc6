import type * as z from "zod";
import { didYouMean } from "../../../core/did-you-mean.ts";

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

/** Says in plain words what a schema issue means; completes the sentence that begins with the key. */
export function explainIssue(issue: RawIssue): string {
  if (issue.code === "invalid_type") return mustBe(TYPE_WORDS[issue.expected] ?? issue.expected)(issue);
  if (issue.code === "invalid_value") return mustBe(oneOf(issue.values.map(String)))(issue);
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? "is not a valid name";
  if (issue.code === "too_small" || issue.code === "too_big") return explainSize(issue);
  return issue.message ?? "is not valid";
}

/** For a schema: the words for a value of the wrong type. Its other issues keep their own. */
export function expects(words: string): z.core.$ZodErrorMap {
  return (issue) =>
    issue.code === "invalid_type" || issue.code === "invalid_union" ? mustBe(words)(issue) : undefined;
}

/** What to type instead, where the value gives it away. */
export function hintFor(issue: z.core.$ZodIssue): string | undefined {
  const { input } = issue;
  if (issue.code === "invalid_value") return didYouMean(String(input), issue.values.map(String));
  if (issue.code === "custom" && Array.isArray(issue.params?.candidates))
    return didYouMean(String(input), issue.params.candidates.map(String));
  if (input === null) return "give it a value, or remove the line";
  if (issue.code === "invalid_union") return hintForWords(input) ?? hintForName(issue);
  return issue.code === "invalid_type" ? CONVERSION_HINTS[issue.expected]?.(input) : undefined;
}

/** What belongs there and what was found. */
function mustBe(expected: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) =>
    input === undefined ? `is missing: it must be ${expected}` : `must be ${expected}${found(input)}`;
}

/** By the expected type: how a value of another type was probably meant. */
const CONVERSION_HINTS: Readonly<Record<string, (input: unknown) => string | undefined>> = {
  boolean: hintForBoolean,
  number: hintForNumber,
  int: hintForNumber,
  string: hintForText,
  array: (input) =>
    typeof input === "string" && /^[\w-]+$/.test(input) ? `write a list: \`[${input}]\`` : undefined,
};

function hintForBoolean(input: unknown): string | undefined {
  if (typeof input !== "string") return undefined;
  if (/^(yes|on|y|true)$/i.test(input)) return "write `true`";
  return /^(no|off|n|false)$/i.test(input) ? "write `false`" : undefined;
}

function hintForNumber(input: unknown): string | undefined {
  if (typeof input !== "string") return undefined;
  if (/^\d+(\.\d+)?$/.test(input)) return `write \`${input}\` without quotes`;
  return /^\d+\s*[a-z]+$/i.test(input) ? "write a plain number, without a unit" : undefined;
}

function hintForText(input: unknown): string | undefined {
  if (typeof input === "number" || typeof input === "boolean") return `put it in quotes: \`"${input}"\``;
  return hintForWords(input);
}

/** Where one of the branches is a list of names. */
function hintForName({ input, errors }: z.core.$ZodIssueInvalidUnion): string | undefined {
  const names = errors
    .flat()
    .flatMap((issue) => (issue.code === "invalid_value" && issue.path.length === 0 ? issue.values : []))
    .map(String);
  if (typeof input !== "string" || names.length < 2) return undefined; // a single one is in the message
  return didYouMean(input, names) ?? `known names: ${names.join(", ")}`;
}

function hintForWords(input: unknown): string | undefined {
  const isWords = Array.isArray(input) && input.every((word) => typeof word === "string");
  return isWords ? `write one line: \`${input.join(" ")}\`` : undefined;
}

function explainSize(issue: RawIssue & { readonly code: "too_small" | "too_big" }): string {
  if (issue.origin === "array") return "must have at least one entry";
  if (issue.origin === "string" && issue.code === "too_big")
    return `must have at most ${issue.maximum} characters`;
  return `must be ${boundOf(issue)}${found(issue.input)}`;
}

function boundOf(issue: RawIssue & { readonly code: "too_small" | "too_big" }): string {
  if (issue.code === "too_big") return `at most ${issue.maximum}`;
  return issue.inclusive === false ? `more than ${issue.minimum}` : `at least ${issue.minimum}`;
}

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? `${values[0]}` : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map (`key: value` lines)",
  record: "a map (`key: value` lines)",
};

function found(input: unknown): string {
  return input === null ? ", but it is empty" : `, not ${describe(input)}`;
}

function describe(input: unknown): string {
  if (Array.isArray(input)) return "a list";
  if (typeof input === "object") return "a map";
  if (typeof input === "number" || typeof input === "boolean") return String(input);
  if (typeof input !== "string") return typeof input;
  return input === ""
    ? "empty text"
    : `the text ${JSON.stringify(input.length > 40 ? `${input.slice(0, 40)}…` : input)}`;
}
