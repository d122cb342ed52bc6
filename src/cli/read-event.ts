import { readStdin } from "../machine/process/stdin.ts";

export type ReadEvent =
  | { readonly ok: true; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** The event a host writes to our stdin: one JSON object. */
export async function readEvent(signal: AbortSignal): Promise<ReadEvent> {
  const text = await readStdin(signal);
  if (text === "") return { ok: false, problem: "nothing on stdin" };
  const value = parse(text);
  if (value instanceof SyntaxError) return { ok: false, problem: value.message };
  return isObject(value) ? { ok: true, payload: value } : { ok: false, problem: "not a JSON object" };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
