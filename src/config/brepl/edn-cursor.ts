export interface EdnProblem {
  readonly start: number;
  readonly message: string;
  readonly hint?: string;
}

const WHITESPACE = /[\t-\r\u001c- ,\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]/;
const MACRO = /["#();[\\\]^{}]/;

export function isBlank(character: string): boolean {
  return WHITESPACE.test(character);
}

export function isMacro(character: string): boolean {
  return MACRO.test(character);
}

export class EdnCursor {
  readonly text: string;
  readonly problems: EdnProblem[] = [];
  /** The end was reached inside something: whatever is missing now is missing because of that. */
  cutOff = false;
  offset = 0;

  constructor(text: string) {
    this.text = text;
    if (text.startsWith("\uFEFF")) this.offset = 1;
  }

  peek(ahead = 0): string {
    return this.text.charAt(this.offset + ahead);
  }

  report(start: number, message: string, hint?: string): void {
    if (this.cutOff) return;
    this.problems.push({ start, message, hint });
  }

  /** Reports the one problem behind which nothing can be trusted, and goes to the end. */
  giveUp(start: number, message: string): void {
    this.report(start, message);
    this.cutOff = true;
    this.offset = this.text.length;
  }

  skipBlanksAndComments(): void {
    for (;;) {
      const character = this.peek();
      if (character === ";") this.skipLine();
      else if (character !== "" && isBlank(character)) this.offset++;
      else return;
    }
  }

  takeUntil(endsAt: (character: string) => boolean): string {
    const start = this.offset;
    for (;;) {
      const character = this.peek();
      if (character === "" || isBlank(character) || endsAt(character)) break;
      this.offset++;
    }
    return this.text.slice(start, this.offset);
  }

  private skipLine(): void {
    const newline = this.text.slice(this.offset).search(/[\n\r]/);
    this.offset = newline === -1 ? this.text.length : this.offset + newline + 1;
  }
}

/** One EDN form with its place in the source: `start` is the offset of its first character, `end` is behind its last. */
export type EdnForm = EdnAtom | EdnCollection;

interface Placed {
  readonly start: number;
  readonly end: number;
}

type EdnAtom = Placed & AtomValue;

export type AtomValue =
  | { readonly kind: "nil" }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "character"; readonly value: string }
  | { readonly kind: "integer"; readonly value: bigint }
  | { readonly kind: "ratio" | "float" | "decimal"; readonly text: string }
  | { readonly kind: "keyword" | "symbol"; readonly name: string }
  | { readonly kind: "instant" | "uuid"; readonly text: string }
  /** Stands where a problem was already reported, so that the rest can still be read and judged. */
  | { readonly kind: "unreadable" };

type EdnCollection = EdnSequence | EdnMap;

interface EdnSequence extends Placed {
  readonly kind: "list" | "vector" | "set";
  readonly items: readonly EdnForm[];
}

export interface EdnMap extends Placed {
  readonly kind: "map";
  readonly entries: readonly (readonly [key: EdnForm, value: EdnForm])[];
}

export function lookUp(map: EdnMap, keyword: string): EdnForm | undefined {
  return map.entries.find(([key]) => key.kind === "keyword" && key.name === keyword)?.[1];
}

/** Two forms have the same identity exactly when Clojure calls them equal as map keys: `1` and `1N`, `(a)` and `[a]`. */
export function identityOf(form: EdnForm): string {
  if (form.kind === "map") return `{${form.entries.map(entryIdentity).toSorted().join(" ")}}`;
  if ("items" in form) {
    const items = form.items.map(identityOf);
    return form.kind === "set" ? `#{${items.toSorted().join(" ")}}` : `(${items.join(" ")})`;
  }
  if (form.kind === "unreadable") return `unreadable at ${form.start}`;
  return `${form.kind} ${valueOf(form)}`;
}

function entryIdentity([key, value]: readonly [EdnForm, EdnForm]): string {
  return `${identityOf(key)} ${identityOf(value)}`;
}

function valueOf(atom: EdnAtom): string {
  if ("value" in atom) return JSON.stringify(String(atom.value));
  if ("name" in atom) return atom.name;
  return "text" in atom ? atom.text : "";
}

/** A string as Clojure's `pr-str` writes it. */
export function printString(text: string): string {
  return `"${text.replace(/["\\\n\t\r\b\f]/g, (character) => PRINTED[character] ?? character)}"`;
}

const PRINTED: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\t": "\\t",
  "\r": "\\r",
  "\b": "\\b",
  "\f": "\\f",
};
