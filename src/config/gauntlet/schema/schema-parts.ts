import * as z from "zod";
import { DURATION, secondsIn } from "../../source-text.ts";
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
const MAX_SECONDS = 86_400;

const IN_SECONDS = "a number of seconds, or a duration such as `90s` or `2m`";

/** A length of time, as a plain number of seconds or with a unit. */
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

/** A length of time in whole minutes, 0 among them, as a plain number or with a unit. */
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

/** Why a regular expression cannot read a problem: it must compile, and name what is wrong by its file or its test. */
export function whyNoPattern(pattern: string): string | undefined {
  try {
    const isNaming = /\(\?<(?:file|test)>/.test(new RegExp(pattern, "u").source);
    return isNaming ? undefined : "must have a group `(?<file>…)` or `(?<test>…)`";
  } catch (error) {
    const why = error instanceof Error ? error.message.split(": ").at(-1) : error;
    return `is not a regular expression: ${String(why)}`;
  }
}

/** Whether every `[` and `{` of a glob is closed; one that is not matches nothing. */
export function isClosed(glob: string): boolean {
  const rest = glob.replaceAll(/\\./g, "").replaceAll(/\[[^\]]+\]/g, "");
  return !rest.includes("[") && rest.split("{").length === rest.split("}").length;
}

export function staysInside(path: string): boolean {
  return !/^[\\/]|^[A-Za-z]:|^~(?:[\\/]|$)/.test(path) && !path.split(/[\\/]/).includes("..");
}
