import { type EdnProblem, lookUp, type EdnForm, type EdnMap } from "./edn-cursor.ts";
import { secondsIn } from "../source-text.ts";

const KNOWN = [
  "type",
  "name",
  "retry-on-failure?",
  "max-retries",
  "required?",
  "timeout",
  "code",
  "command",
  "cwd",
  "env",
];

const MISTAKEN: Readonly<Record<string, string>> = {
  cmd: "command",
  dir: "cwd",
  expr: "code",
  retries: "max-retries",
};

export class HookFields {
  readonly errors: EdnProblem[] = [];
  readonly warnings: EdnProblem[] = [];
  readonly #hook: EdnMap;
  readonly #label: string;
  readonly #source: string;

  constructor(hook: EdnMap, label: string, source: string) {
    this.#hook = hook;
    this.#label = label;
    this.#source = source;
  }

  find(name: string): EdnForm | undefined {
    return lookUp(this.#hook, name);
  }

  required<T>(name: string, field: HookField<T>): T | undefined {
    const form = this.find(name);
    if (form) return this.#read(name, form, field);
    const mistaken = this.#strangers().find(([, key]) => meant(key) === name);
    const [place, hint] = mistaken
      ? [mistaken[0], `it has :${mistaken[1]}, which should be :${name}`]
      : [this.#hook, `add :${name}, ${field.expected}`];
    this.#fail(place, `is missing :${name}`, hint);
    return undefined;
  }

  optional<T>(name: string, field: HookField<T>, otherwise: T): T {
    const form = this.find(name);
    return (form && this.#read(name, form, field)) ?? otherwise;
  }

  environment(): Record<string, string> {
    const form = this.find("env");
    if (form === undefined || form.kind === "unreadable") return {};
    if (form.kind !== "map") {
      this.#fail(form, `has an :env that must be a map of string to string, not ${this.#show(form)}`);
      return {};
    }
    return Object.fromEntries(form.entries.map((entry) => this.#variable(entry)));
  }

  warnAboutStrangers(): void {
    for (const [form, key] of this.#strangers()) {
      const field = meant(key);
      if (field && this.find(field) === undefined && !this.errors.some(({ start }) => start === form.start)) {
        this.warn(form, `has :${key}, which means nothing here`, { hint: `perhaps :${field} is meant` });
      }
    }
  }

  warn(form: EdnForm, message: string, { hint }: { readonly hint: string }): void {
    this.warnings.push({ start: form.start, message: `${this.#label}: ${message}`, hint });
  }

  #read<T>(name: string, form: EdnForm, field: HookField<T>): T | undefined {
    if (form.kind === "unreadable") return undefined;
    const value = field.read(form, this.#source);
    if (value === undefined) {
      const message = `has a :${name} that must be ${field.expected}, not ${this.#show(form)}`;
      this.#fail(form, message, field.hint?.(form));
    }
    return value;
  }

  #variable([key, value]: readonly [EdnForm, EdnForm]): [string, string] {
    const name = key.kind === "string" && /^[^=\0]+$/.test(key.value) ? key.value : undefined;
    if (name === undefined && key.kind !== "unreadable") {
      this.#fail(key, `has an :env key that must be a string without "=", not ${this.#show(key)}`);
    }
    const text = systemText.read(value, this.#source);
    if (text === undefined && value.kind !== "unreadable") {
      const hint = `put it in quotes: "${this.#show(value)}"`;
      this.#fail(value, `has an :env value that must be a string, not ${this.#show(value)}`, hint);
    }
    return [name ?? "", text ?? ""];
  }

  #strangers(): readonly (readonly [EdnForm, string])[] {
    return this.#hook.entries.flatMap(([key]) =>
      key.kind === "keyword" && !KNOWN.includes(key.name) ? [[key, key.name] as const] : [],
    );
  }

  #fail(form: EdnForm, message: string, hint?: string): void {
    this.errors.push({ start: form.start, message: `${this.#label} ${message}`, hint });
  }

  #show(form: EdnForm): string {
    return describeForm(form, this.#source);
  }
}

function meant(key: string): string | undefined {
  return MISTAKEN[key] ?? KNOWN.find((known) => letters(known) === letters(key));
}

function letters(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[^a-z]/g, "")
    .replace(/s$/, "")
    .replace(/ie$/, "y");
}

export interface HookField<T> {
  readonly expected: string;
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

/** The operating system ends its strings at NUL. */
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

function describeForm(form: EdnForm, source: string): string {
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
