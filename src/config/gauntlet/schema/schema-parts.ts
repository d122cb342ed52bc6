import * as z from "zod";
import { DURATION, secondsIn } from "../../source-text.ts";
import { didYouMean } from "../../../words.ts";

export function text(expected: string) {
  return z.string({ error: expects(expected) }).regex(/\S/, "must not be empty");
}

const MAX_PATH_LENGTH = 1000;

export function innerPath(expected: string, directory = "the project") {
  return text(expected)
    .max(MAX_PATH_LENGTH)
    .refine(staysInside, {
      error: `must be a relative path inside ${directory}, without \`..\``,
    });
}

export const wholeNumber = z.int({ error: expects("a whole number") });

const MAX_SECONDS = 86_400;

const IN_SECONDS = "a number of seconds, or a duration such as `90s` or `2m`";

export const duration = z.union(
  [
    z
      .number({ error: expects(IN_SECONDS) })
      .positive()
      .max(MAX_SECONDS),
    durationText(IN_SECONDS).refine(isWithinADay, "must be more than nothing and at most a day"),
  ],
  { error: expects(IN_SECONDS) },
);

const IN_MINUTES = "a whole number of minutes, or a duration such as `10m` or `2h`";

export const minutes = z.union(
  [
    wholeNumber.min(0),
    durationText(IN_MINUTES).refine(
      (text) => (secondsIn(text) ?? 0) % 60 === 0,
      "must come to whole minutes",
    ),
  ],
  { error: expects(IN_MINUTES) },
);

/** Timers take whole milliseconds only. */
export function millisecondsOf(time: number | string): number {
  const seconds = typeof time === "number" ? time : (secondsIn(time) ?? 0);
  return Math.max(1, Math.round(seconds * 1000));
}

export function minutesOf(time: number | string): number {
  return typeof time === "number" ? time : (secondsIn(time) ?? 0) / 60;
}

function durationText(expected: string) {
  return z
    .string({ error: expects(expected) })
    .regex(DURATION, { error: `must be ${expected}`, abort: true });
}

function isWithinADay(text: string): boolean {
  const seconds = secondsIn(text) ?? 0;
  return seconds > 0 && seconds <= MAX_SECONDS;
}

/** It must compile, and capture what is wrong by its file or its test. */
export function whyNoPattern(pattern: string): string | undefined {
  try {
    const isNaming = /\(\?<(?:file|test)>/.test(new RegExp(pattern, "u").source);
    return isNaming ? undefined : "must have a group `(?<file>…)` or `(?<test>…)`";
  } catch (error) {
    const why = error instanceof Error ? error.message.split(": ").at(-1) : error;
    return `is not a regular expression: ${String(why)}`;
  }
}

export function isClosed(glob: string): boolean {
  const rest = glob.replaceAll(/\\./g, "").replaceAll(/\[[^\]]+\]/g, "");
  return !rest.includes("[") && rest.split("{").length === rest.split("}").length;
}

export function staysInside(path: string): boolean {
  return !/^[\\/]|^[A-Za-z]:|^~(?:[\\/]|$)/.test(path) && !path.split(/[\\/]/).includes("..");
}

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

/** Explains an issue in plain words that continue the sentence begun by the key. */
export function explainIssue(issue: RawIssue): string {
  if (issue.code === "invalid_type") return mustBe(TYPE_WORDS[issue.expected] ?? issue.expected)(issue);
  if (issue.code === "invalid_value") return mustBe(oneOf(issue.values.map(String)))(issue);
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? "is not a valid name";
  if (issue.code === "too_small" || issue.code === "too_big") return explainSize(issue);
  return issue.message ?? "is not valid";
}

export function expects(words: string): z.core.$ZodErrorMap {
  return (issue) =>
    issue.code === "invalid_type" || issue.code === "invalid_union" ? mustBe(words)(issue) : undefined;
}

export function hintFor(issue: z.core.$ZodIssue): string | undefined {
  const { input } = issue;
  if (issue.code === "invalid_value") return didYouMean(String(input), issue.values.map(String));
  if (issue.code === "custom" && Array.isArray(issue.params?.candidates))
    return didYouMean(String(input), issue.params.candidates.map(String));
  if (input === null) return "give it a value, or remove the line";
  if (issue.code === "invalid_union") return hintForWords(input) ?? hintForName(issue);
  return issue.code === "invalid_type" ? CONVERSION_HINTS[issue.expected]?.(input) : undefined;
}

function mustBe(expected: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) =>
    input === undefined ? `is missing: it must be ${expected}` : `must be ${expected}${found(input)}`;
}

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
