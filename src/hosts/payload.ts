import type { Payload } from "./host.ts";

/** The JSON object that a text holds; undefined where it holds anything else. */
export function parseObject(text: string): Payload | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

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
