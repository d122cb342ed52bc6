import * as z from "zod";
import { expects } from "./explain-issue.ts";

/** Text with something in it; `expected` says in plain words what belongs there. */
export function text(expected: string) {
  return z.string({ error: expects(expected) }).regex(/\S/, "must not be empty");
}

/** Below what file systems and the glob library take. */
const MAX_PATH_LENGTH = 1000;

/** A path that does not leave the directory it is relative to. */
export function innerPath(expected: string, directory = "the project") {
  return text(expected)
    .max(MAX_PATH_LENGTH)
    .refine(staysInside, {
      error: `must be a relative path inside ${directory}, without \`..\``,
    });
}

export const wholeNumber = z.int({ error: expects("a whole number") });

/** A day: more than a gate may sensibly take, less than a timer can hold. */
export const seconds = z
  .number({ error: expects("a number of seconds") })
  .positive()
  .max(86_400);

/** Timers take whole milliseconds only. */
export function wholeMilliseconds(timeInSeconds: number): number {
  return Math.max(1, Math.round(timeInSeconds * 1000));
}

/** Whether a regular expression reads a problem: it compiles, and names what is wrong by its file or its test. */
export function isPattern(pattern: string): boolean {
  try {
    return /\(\?<(?:file|test)>/.test(new RegExp(pattern, "u").source);
  } catch {
    return false;
  }
}

function staysInside(path: string): boolean {
  return !/^[\\/]|^[A-Za-z]:|^~(?:[\\/]|$)/.test(path) && !path.split(/[\\/]/).includes("..");
}
