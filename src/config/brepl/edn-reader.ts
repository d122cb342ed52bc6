import {
  EdnCursor,
  isMacro,
  type EdnProblem,
  identityOf,
  type AtomValue,
  type EdnForm,
  type EdnMap,
} from "./edn-cursor.ts";
import {
  readString,
  readCharacter,
  readName,
  readNumber,
  readTagged,
  type TokenReading,
} from "./edn-token.ts";

export interface EdnReading {
  /** Absent when the text holds no form, or is cut off so that nothing of it can be judged. */
  readonly form?: EdnForm;
  readonly problems: readonly EdnProblem[];
}

/** Reads the first form, as `clojure.edn/read-string` does; but where that stops at the first problem, this goes on. */
export function readEdn(text: string): EdnReading {
  const reader = new Reader(text);
  const form = reader.readForm(0);
  const { cursor } = reader;
  if (!form && cursor.peek() !== "")
    cursor.giveUp(cursor.offset, `nothing is open for this ${cursor.peek()}`);
  return form && !cursor.cutOff ? { form, problems: cursor.problems } : { problems: cursor.problems };
}

const MAX_DEPTH = 256;
const CLOSER = { "(": ")", "[": "]", "{": "}" } as const;
const KIND = { "(": "list", "[": "vector", "#{": "set" } as const;

class Reader {
  readonly cursor: EdnCursor;

  constructor(text: string) {
    this.cursor = new EdnCursor(text);
  }

  readForm(depth: number): EdnForm | undefined {
    const { cursor } = this;
    if (depth > MAX_DEPTH) {
      cursor.giveUp(cursor.offset, `more than ${MAX_DEPTH} levels of nesting`);
      return undefined;
    }
    for (;;) {
      cursor.skipBlanksAndComments();
      if (!cursor.text.startsWith("#_", cursor.offset)) break;
      this.discard(depth);
    }
    const start = cursor.offset;
    const character = cursor.peek();
    if (character === "" || /[)\]}]/.test(character)) return undefined;
    return this.readMacro(character, depth) ?? this.readToken(start);
  }

  private discard(depth: number): void {
    const start = this.cursor.offset;
    this.cursor.offset += 2;
    if (!this.readForm(depth + 1)) this.cursor.report(start, "nothing follows this #_");
  }

  private readMacro(character: string, depth: number): EdnForm | undefined {
    const start = this.cursor.offset;
    switch (character) {
      case '"':
        return this.placed(start, { kind: "string", value: readString(this.cursor) });
      case "(":
      case "[":
        return this.readSequence(character, depth);
      case "{":
        return this.readMap(start, depth);
      case "\\":
        return this.readCharacter(start);
      case "^":
        return this.readWithMetadata(depth);
      case "#":
        return this.readDispatch(depth);
      default:
        return undefined;
    }
  }

  private readSequence(opener: "(" | "[" | "#{", depth: number): EdnForm {
    const start = this.cursor.offset;
    this.cursor.offset += opener.length;
    const items = this.readItems(start, opener === "#{" ? "{" : opener, depth);
    if (opener === "#{") this.reportDuplicates(items, "is twice in this set");
    return { kind: KIND[opener], items, start, end: this.cursor.offset };
  }

  private readMap(start: number, depth: number, rename = (key: EdnForm) => key): EdnMap {
    this.cursor.offset++;
    const items = this.readItems(start, "{", depth);
    if (items.length % 2 === 1) {
      this.cursor.report(start, "a map needs a value for every key: this one has an odd number of forms");
    }
    const keys = items.filter((_, index) => index % 2 === 0).map(rename);
    const entries = keys.flatMap((key, index) => {
      const value = items[index * 2 + 1];
      return value ? [[key, value] as const] : [];
    });
    this.reportDuplicates(keys, "is a key of this map already");
    return { kind: "map", entries, start, end: this.cursor.offset };
  }

  private readItems(start: number, opener: "(" | "[" | "{", depth: number): EdnForm[] {
    const { cursor } = this;
    const items: EdnForm[] = [];
    for (let item = this.readForm(depth + 1); item; item = this.readForm(depth + 1)) items.push(item);
    const found = cursor.peek();
    if (found === "") cursor.giveUp(start, `this ${opener} is never closed`);
    else if (found === CLOSER[opener]) cursor.offset++;
    else cursor.giveUp(cursor.offset, `expected ${CLOSER[opener]} but found ${found}`);
    return items;
  }

  private reportDuplicates(forms: readonly EdnForm[], complaint: string): void {
    const seen = new Set<string>();
    for (const form of forms) {
      const identity = identityOf(form);
      if (seen.has(identity)) this.cursor.report(form.start, `${this.sourceOf(form)} ${complaint}`);
      seen.add(identity);
    }
  }

  private readCharacter(start: number): EdnForm {
    const { cursor } = this;
    cursor.offset++;
    const first = cursor.peek();
    if (first !== "") cursor.offset++;
    const token = first + cursor.takeUntil(endsName);
    if (first === "") cursor.giveUp(start, "nothing follows this backslash");
    return this.atom(start, readCharacter(token));
  }

  private readWithMetadata(depth: number): EdnForm {
    const start = this.cursor.offset++;
    const metadata = this.readForm(depth + 1);
    const target = metadata && this.readForm(depth + 1);
    if (!target) return this.unreadable(start, "metadata needs a form to sit on");
    if (!/^(?:symbol|keyword|string|map|unreadable)$/.test(metadata.kind)) {
      return this.unreadable(start, "metadata is a symbol, a keyword, a string or a map");
    }
    if (!/^(?:symbol|list|vector|map|set|unreadable)$/.test(target.kind)) {
      return this.unreadable(start, "metadata sits only on symbols and collections");
    }
    return { ...target, start };
  }

  private readDispatch(depth: number): EdnForm {
    const { cursor } = this;
    const start = cursor.offset;
    const next = cursor.peek(1);
    if (next === "{") return this.readSequence("#{", depth);
    if (next === ":") return this.readNamespacedMap(depth);
    cursor.offset++;
    if (next === "^") return { ...this.readWithMetadata(depth), start };
    if (next === "#") return this.readSymbolic(start);
    if (/\p{L}/u.test(next)) return this.readTaggedForm(start, depth);
    if (next !== "") cursor.offset++;
    return this.unreadable(
      start,
      `#${next} is not EDN`,
      "this is Clojure syntax: quote the code as a string",
    );
  }

  private readNamespacedMap(depth: number): EdnForm {
    const { cursor } = this;
    const start = cursor.offset;
    cursor.offset += 2;
    const namespace = cursor.takeUntil(endsName);
    cursor.skipBlanksAndComments();
    const isValid = /^[^\d:/][^/]*$/.test(namespace) && readName(namespace).ok;
    if (!isValid) cursor.report(start, `"${namespace}" is not a namespace`);
    if (cursor.peek() !== "{") return this.unreadable(start, `#:${namespace} needs a map`);
    return { ...this.readMap(cursor.offset, depth, (key) => inNamespace(namespace, key)), start };
  }

  private readSymbolic(start: number): EdnForm {
    this.cursor.offset++;
    const name = this.cursor.takeUntil(endsName);
    if (!/^(?:-?Inf|NaN)$/.test(name)) {
      return this.unreadable(start, `##${name} is not a number`, "EDN knows ##Inf, ##-Inf and ##NaN");
    }
    return this.placed(start, { kind: "float", text: name });
  }

  private readTaggedForm(start: number, depth: number): EdnForm {
    const tag = this.cursor.takeUntil(endsName);
    const form = this.readForm(depth + 1);
    if (!form) return this.unreadable(start, `nothing follows the tag #${tag}`);
    if (tag !== "inst" && tag !== "uuid") {
      return this.unreadable(start, `#${tag} is not a tag this file can use`, "only #inst and #uuid are");
    }
    if (form.kind !== "string") return this.unreadable(start, `#${tag} needs a string`);
    return this.atom(start, readTagged(tag, form.value));
  }

  private readToken(start: number): EdnForm {
    const { cursor } = this;
    const isNumber = /^[-+]?\p{Nd}/u.test(cursor.text.slice(start, start + 3));
    const token = cursor.takeUntil(isNumber ? isMacro : endsName);
    const intruder = isNumber ? undefined : /[@`~]/.exec(token);
    if (intruder) {
      return this.unreadable(
        start + intruder.index,
        `${intruder[0]} is not EDN`,
        "quote Clojure code as a string",
      );
    }
    return this.atom(start, isNumber ? readNumber(token) : readName(token));
  }

  private atom(start: number, reading: TokenReading): EdnForm {
    if (reading.ok) return this.placed(start, reading.atom);
    return this.unreadable(start, reading.message, reading.hint);
  }

  private unreadable(start: number, message: string, hint?: string): EdnForm {
    this.cursor.report(start, message, hint);
    return this.placed(start, { kind: "unreadable" });
  }

  private placed(start: number, atom: AtomValue): EdnForm {
    return { ...atom, start, end: this.cursor.offset };
  }

  private sourceOf(form: EdnForm): string {
    return this.cursor.text.slice(form.start, form.end);
  }
}

/** A keyword or symbol may hold `#` and `'`, but ends before every other macro character. */
function endsName(character: string): boolean {
  return character !== "#" && isMacro(character);
}

/** `#:a{:b 1, :_/c 2}` is `{:a/b 1, :c 2}`. */
function inNamespace(namespace: string, key: EdnForm): EdnForm {
  if (key.kind !== "keyword" && key.kind !== "symbol") return key;
  if (key.name.startsWith("_/")) return { ...key, name: key.name.slice(2) };
  return key.name.includes("/") ? key : { ...key, name: `${namespace}/${key.name}` };
}
