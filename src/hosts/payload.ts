import type { Payload } from "./host.ts";

/** The text of a field; anything but a non-empty string counts as absent. */
export function textOf(payload: Payload, key: string): string | undefined {
  const value = payload[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** True only for the boolean `true`. */
export function flagOf(payload: Payload, key: string): boolean {
  return payload[key] === true;
}

/** The objects in a list field; other elements, and fields that are no list, count as absent. */
export function recordsOf(payload: Payload, key: string): readonly Payload[] {
  const value = payload[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function isRecord(value: unknown): value is Payload {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object without its undefined fields: under exactOptionalPropertyTypes "absent" must really be absent. */
export function definedOnly<T extends object>(fields: T): Defined<T> {
  // Only keys whose value is undefined are dropped, and those are optional in the result.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
