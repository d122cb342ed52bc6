import type { EdnProblem } from "./edn-cursor.ts";
import { lookUp, type EdnForm, type EdnMap } from "./edn-form.ts";
import { describeForm, systemText, type HookField } from "./hook-field.ts";

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

/** What people write for a field, and the field. Everything else that is close is found by its letters. */
const MISTAKEN: Readonly<Record<string, string>> = {
  cmd: "command",
  dir: "cwd",
  expr: "code",
  retries: "max-retries",
};

/** Reads the fields of one hook and keeps what is wrong with them. */
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

  /** `:env`, a map of string to string; every entry that is not gets its own problem. */
  environment(): Record<string, string> {
    const form = this.find("env");
    if (form === undefined || form.kind === "unreadable") return {};
    if (form.kind !== "map") {
      this.#fail(form, `has an :env that must be a map of string to string, not ${this.#show(form)}`);
      return {};
    }
    return Object.fromEntries(form.entries.map((entry) => this.#variable(entry)));
  }

  /** Unknown keys are allowed; those that look like a slip of the pen are worth a word. */
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
    const problem = { start: form.start, message: `${this.#label} ${message}` };
    this.errors.push(hint === undefined ? problem : { ...problem, hint });
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
