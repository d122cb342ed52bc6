import { isRecord } from "./json.ts";

/**
 * Whether a JSON value has a shape. A library for this takes half a millisecond of every stop (decision 0101); these say only yes or
 * no, which is all that files of our own and records of other machines need.
 */
export type Shape<T> = (value: unknown) => value is T;

export type ShapeOf<S> = S extends Shape<infer T> ? T : never;

type Fields = Readonly<Record<string, Shape<unknown>>>;

type Known<F extends Fields> = { readonly [Key in keyof F]: ShapeOf<F[Key]> };

export const isAnything: Shape<unknown> = (_value): _value is unknown => true;
export const isText: Shape<string> = (value) => typeof value === "string";
export const isNumber: Shape<number> = (value) => typeof value === "number";
export const isFlag: Shape<boolean> = (value) => typeof value === "boolean";

/** A whole number from 0 on. */
export const isCount: Shape<number> = (value): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** Milliseconds since the epoch that a date can show. */
export const isTime: Shape<number> = (value): value is number =>
  isNumber(value) && Math.abs(value) <= 8.64e15;

export function textLike(pattern: RegExp): Shape<string> {
  return (value): value is string => isText(value) && pattern.test(value);
}

export function oneOf<const T>(...values: readonly T[]): Shape<T> {
  return (value): value is T => values.some((one) => one === value);
}

export function anyOf<T>(...shapes: readonly Shape<T>[]): Shape<T> {
  return (value): value is T => shapes.some((fits) => fits(value));
}

export function listOf<T>(fits: Shape<T>): Shape<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(fits);
}

export function mapOf<T>(fits: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value): value is Readonly<Record<string, T>> => isRecord(value) && Object.values(value).every(fits);
}

/** An object with these fields, and whatever else. */
export function objectOf<const R extends Fields>(required: R): Shape<Known<R>>;
export function objectOf<const R extends Fields, const O extends Fields>(
  required: R,
  optional: O,
): Shape<Known<R> & Partial<Known<O>>>;
export function objectOf(required: Fields, optional: Fields = {}): Shape<object> {
  const wanted = Object.entries(required);
  const possible = Object.entries(optional);
  return (value): value is object =>
    isRecord(value) &&
    wanted.every(([key, fits]) => fits(value[key])) &&
    possible.every(([key, fits]) => value[key] === undefined || fits(value[key]));
}

/** An object with these fields and no other. */
export function onlyObjectOf<const R extends Fields>(required: R): Shape<Known<R>> {
  const fits = objectOf(required);
  return (value): value is Known<R> =>
    fits(value) && Object.keys(value).every((key) => Object.hasOwn(required, key));
}
