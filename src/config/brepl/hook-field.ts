import { secondsIn } from "../duration.ts";
import type { EdnForm } from "./edn-form.ts";

/** One field of a hook: what it may hold, and what to say when it holds something else. */
export interface HookField<T> {
  readonly expected: string;
  /** The value, or nothing when the form does not fit. */
  read(form: EdnForm, text: string): T | undefined;
  hint?(form: EdnForm): string | undefined;
}

const LONGEST_TIMER_MS = 2_147_483_647;

export const hookType: HookField<"repl" | "bash"> = {
  expected: ":repl or :bash",
  read: (form) => {
    if (form.kind !== "keyword") return undefined;
    return form.name === "repl" || form.name === "bash" ? form.name : undefined;
  },
  hint: (form) =>
    form.kind === "string" && /^:?(?:repl|bash)$/.test(form.value)
      ? `write :${form.value.replace(":", "")}, a keyword`
      : undefined,
};

export const flag: HookField<boolean> = {
  expected: "true or false",
  read: (form) => (form.kind === "boolean" ? form.value : undefined),
};

export const count: HookField<number> = {
  expected: "an integer, 0 or more",
  read: (form) => integerFrom(form, 0),
  hint: numberHint,
};

/** Seconds in the file, or text with a unit (`"2m"`); milliseconds behind it. There is no maximum but a timer's own. */
export const seconds: HookField<number> = {
  expected: "a positive integer (seconds)",
  read: (form) => {
    const value = form.kind === "string" ? secondsIn(form.value) : integerFrom(form, 1);
    return value === undefined || value <= 0 ? undefined : Math.min(value * 1000, LONGEST_TIMER_MS);
  },
  hint: numberHint,
};

export const text: HookField<string> = {
  expected: "a string",
  read: (form) => (form.kind === "string" ? form.value : undefined),
  hint: (form) => (form.kind === "symbol" ? `put it in quotes: "${form.name}"` : undefined),
};

/** Text for the operating system, which ends its strings at NUL. */
export const systemText: HookField<string> = {
  ...text,
  expected: "a string without NUL characters",
  read: (form) => (form.kind === "string" && !form.value.includes("\0") ? form.value : undefined),
};

/** Code is text, or the form itself, which goes to the REPL as it is written. */
export const code: HookField<string> = {
  expected: "a string, a list or a symbol",
  read: (form, source) => {
    if (form.kind === "string") return form.value;
    return form.kind === "list" || form.kind === "symbol" ? source.slice(form.start, form.end) : undefined;
  },
};

/** Says what a form is, for `must be …, not …`. */
export function describeForm(form: EdnForm, source: string): string {
  const written = source.slice(form.start, form.end).replace(/\s+/g, " ");
  return written.length > 40 ? `a ${form.kind}` : written;
}

function integerFrom(form: EdnForm, least: number): number | undefined {
  if (form.kind !== "integer" || form.value < least) return undefined;
  return Number(form.value < BigInt(Number.MAX_SAFE_INTEGER) ? form.value : Number.MAX_SAFE_INTEGER);
}

function numberHint(form: EdnForm): string | undefined {
  if (form.kind !== "string") return undefined;
  return /^\s*\d+\s*$/.test(form.value)
    ? `drop the quotes: ${form.value.trim()}`
    : `"${form.value}" is not an integer; write a number such as 60`;
}
