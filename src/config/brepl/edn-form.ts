/** One EDN form with its place in the source: `start` is the offset of its first character, `end` is behind its last. */
export type EdnForm = EdnAtom | EdnCollection;

interface Placed {
  readonly start: number;
  readonly end: number;
}

type EdnAtom = Placed & AtomValue;

/** What a token or a string says. Numbers that no setting needs keep their text. */
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

/** Finds the value of a keyword key: `lookUp(map, "name")` is `(:name map)`. */
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
