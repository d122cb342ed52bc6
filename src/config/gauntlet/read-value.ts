import * as z from "zod";
import type { Diagnostic } from "../../trouble.ts";
import { didYouMean } from "../../words.ts";
import { explainIssue, hintFor } from "./schema/schema-parts.ts";
import type { YamlSource } from "../yaml/yaml-source.ts";
import type { Path } from "../yaml/yaml-tree.ts";
import { withoutEffect } from "./without-effect.ts";

type Report = (diagnostic: Diagnostic) => void;

export interface Place {
  readonly source: YamlSource;
  readonly path: Path;
  readonly report: Report;
}

const MAX_ISSUES = 50;

export function readValue<T extends z.ZodType>(schema: T, place: Place): z.output<T> | undefined {
  return readChecked(schema, valueAt(place.source.value, place.path), place)?.value;
}

/** Reads each key by itself, so that one bad key does not hide the others; undefined if any is bad. */
export function readKeys<S extends Record<string, z.ZodType>>(
  shape: S,
  place: Place,
): { [K in keyof S]: z.output<S[K]> } | undefined {
  const entries = Object.entries(shape).map(([key, schema]) => {
    const path = [...place.path, key];
    const value = valueAt(place.source.value, path) ?? undefined;
    return [key, readChecked(schema, value, { ...place, path })] as const;
  });
  if (entries.some(([, accepted]) => accepted === undefined)) return undefined;
  // Each key of the shape was just accepted by its own schema.
  return Object.fromEntries(entries.map(([key, accepted]) => [key, accepted?.value])) as {
    [K in keyof S]: z.output<S[K]>;
  };
}

export function reportUnknownKeys(known: readonly string[], { source, path, report }: Place): void {
  const value = valueAt(source.value, path);
  if (!isPlainMap(value)) return;
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  for (const key of unknown.slice(0, MAX_ISSUES)) report(unknownKey(source, [...path, key], known));
}

export function isPlainMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (here, step) =>
      typeof here === "object" && here !== null && Object.hasOwn(here, step)
        ? // An own property of an object, whatever it is.
          (here as Record<PropertyKey, unknown>)[step]
        : undefined,
    value,
  );
}

function readChecked<T extends z.ZodType>(
  schema: T,
  value: unknown,
  place: Place,
): { readonly value: z.output<T> } | undefined {
  const result = schema.safeParse(value, { error: explainIssue, reportInput: true });
  if (result.success) return { value: result.data };

  const issues = result.error.issues.flatMap(unfoldUnion).slice(0, MAX_ISSUES);
  for (const issue of issues) reportIssue(issue, schema, place);
  if (!issues.every((issue) => issue.code === "unrecognized_keys")) return undefined;
  const known = issues.reduce((rest, issue) => withoutKeys(rest, issue), value);
  return readChecked(schema, known, place);
}

/** For a value that fits no branch of a union, the problems of the branch with its type. */
function unfoldUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const fitting = issue.errors.find((branch) => !branch.some(isOtherType));
  if (fitting === undefined) return [issue];
  return fitting.flatMap((inner) => unfoldUnion({ ...inner, path: [...issue.path, ...inner.path] }));
}

function isOtherType(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 0 && (issue.code === "invalid_type" || issue.code === "invalid_value");
}

function reportIssue(issue: z.core.$ZodIssue, schema: z.ZodType, { source, path, report }: Place): void {
  const at = [...path, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(schema, issue.path);
    for (const key of issue.keys.slice(0, MAX_ISSUES)) report(unknownKey(source, [...at, key], known));
    return;
  }
  const message = at.length === 0 ? `this ${issue.message}` : `\`${inWords(at)}\` ${issue.message}`;
  report(source.complain(at, { message, hint: hintFor(issue), at: isAboutKey(issue) ? "key" : "value" }));
}

function unknownKey(source: YamlSource, path: Path, known: readonly string[]): Diagnostic {
  const key = String(path.at(-1));
  const why = withoutEffect(key);
  if (why !== undefined) return source.complain(path, { severity: "warning", message: why });
  const message = `unknown key \`${inWords(path)}\` is ignored`;
  const hint = didYouMean(key, known) ?? `known keys: ${known.join(", ")}`;
  return source.complain(path, { severity: "warning", message, hint });
}

function isAboutKey(issue: z.core.$ZodIssue): boolean {
  return issue.input === undefined || issue.code === "invalid_key";
}

function inWords(path: Path): string {
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");
}

function withoutKeys(value: unknown, issue: z.core.$ZodIssue): unknown {
  const keys = issue.code === "unrecognized_keys" ? issue.keys : [];
  return changeAt(value, issue.path, (map) =>
    isPlainMap(map) ? Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key))) : map,
  );
}

function changeAt(value: unknown, path: Path, change: (value: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  const child = changeAt(valueAt(value, [step]), rest, change);
  if (Array.isArray(value)) return value.with(Number(step), child);
  return isPlainMap(value) ? { ...value, [step]: child } : value;
}

function keysAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return keysAt(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => keysAt(option, path));
  const [step, ...rest] = path;
  if (schema instanceof z.ZodObject)
    return step === undefined ? Object.keys(schema.shape) : keysAt(schema.shape[String(step)], rest);
  if (step === undefined) return [];
  if (schema instanceof z.ZodArray) return keysAt(schema.element, rest);
  return schema instanceof z.ZodRecord ? keysAt(schema.valueType, rest) : [];
}
