import {
  type Alias,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
} from "yaml";

export type Path = readonly PropertyKey[];

interface Problem {
  readonly offset: number;
  readonly message: string;
  readonly hint?: string;
}

interface Tree {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  readonly usable: boolean;
  readonly offsetOf: (path: Path, part: "key" | "value") => number;
  readonly writtenAt: (path: Path) => string | undefined;
}

const MAX_DEPTH = 32;
/** Far more than a configuration repeats, far less than an alias bomb unfolds to. */
const MAX_ALIASED_VALUES = 20_000;

/**
 * Turns parsed YAML into plain values. Our own walk, because the library's throws on unknown aliases, overflows on
 * circular ones and compares keys in quadratic time.
 */
export function readTree(contents: unknown): Tree {
  const reader = new TreeReader();
  const root = isNode(contents) ? contents : undefined;
  return {
    value: reader.read(root, 0).value,
    problems: reader.problems,
    usable: reader.problems.length === 0,
    offsetOf: (path, part) => reader.offsetOf(root, path, part),
    writtenAt: (path) => {
      const node = reader.resolve(reader.walk(root, path).value);
      return isScalar(node) ? node.source : undefined;
    },
  };
}

interface Read {
  readonly value: unknown;
  readonly size: number;
}

const EMPTY: Read = { value: null, size: 1 };

class TreeReader {
  readonly problems: Problem[] = [];
  readonly #anchors = new Map<string, Node>();
  readonly #targets = new Map<Alias, Node>();
  readonly #done = new Map<Node, Read>();
  readonly #pairs = new Map<Node, Map<string, Pair>>();
  #aliasedValues = 0;
  #isBomb = false;

  read(node: unknown, depth: number): Read {
    if (!isNode(node)) return EMPTY;
    if (isAlias(node)) return this.#readAlias(node);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (depth > MAX_DEPTH) return this.complain(node, "values are nested too deeply");
    const read = this.#readContent(node, depth);
    this.#done.set(node, read);
    return read;
  }

  complain(node: Node, message: string, hint?: string): Read {
    this.problems.push({ offset: node.range?.[0] ?? 0, message, hint });
    return EMPTY;
  }

  resolve(node: unknown): unknown {
    return isAlias(node) ? this.#targets.get(node) : node;
  }

  offsetOf(root: Node | undefined, path: Path, part: "key" | "value"): number {
    const { key, value } = this.walk(root, path);
    const node = part === "value" && isNode(value) ? value : (key ?? value);
    return isNode(node) ? (node.range?.[0] ?? 0) : 0;
  }

  walk(root: Node | undefined, path: Path): { key?: unknown; value: unknown } {
    let here: { key?: unknown; value: unknown } = { value: root };
    for (const step of path) {
      const next = this.#child(this.resolve(here.value), step);
      if (next === undefined) return here;
      here = next;
    }
    return here;
  }

  #child(node: unknown, step: PropertyKey): { key?: unknown; value: unknown } | undefined {
    if (isSeq(node)) {
      const item = typeof step === "number" ? node.items[step] : undefined;
      return item === undefined ? undefined : { value: item };
    }
    if (!isMap(node)) return undefined;
    const own = this.#pairs.get(node)?.get(String(step));
    if (own !== undefined) return { key: own.key, value: own.value };
    for (const pair of node.items.filter(isMerge)) {
      for (const source of this.#mergeSources(pair)) {
        const inherited = this.#child(source, step);
        if (inherited !== undefined) return inherited;
      }
    }
    return undefined;
  }

  #readAlias(alias: Alias): Read {
    const target = this.#anchors.get(alias.source);
    if (target === undefined) return this.complain(alias, `there is no anchor \`&${alias.source}\` above`);
    const read = this.#done.get(target);
    if (read === undefined) return this.complain(alias, `\`*${alias.source}\` contains itself`);
    this.#aliasedValues += read.size;
    if (this.#aliasedValues > MAX_ALIASED_VALUES) return this.#refuseBomb(alias);
    this.#targets.set(alias, target);
    return read;
  }

  #refuseBomb(alias: Alias): Read {
    if (this.#isBomb) return EMPTY;
    this.#isBomb = true;
    return this.complain(alias, `aliases unfold to more than ${MAX_ALIASED_VALUES} values`);
  }

  #readContent(node: Node, depth: number): Read {
    if (isMap(node)) return this.#readMap(node, depth);
    if (isSeq(node)) return this.#readSeq(node, depth);
    return isScalar(node) ? this.#readScalar(node) : EMPTY;
  }

  #readScalar(node: Scalar): Read {
    if (typeof node.value === "string" && node.value.includes("\0"))
      return this.complain(node, "text must not contain NUL characters");
    return { value: node.value, size: 1 };
  }

  #readSeq(node: YAMLSeq, depth: number): Read {
    const items = node.items.map((item) => this.read(isPair(item) ? item.value : item, depth + 1));
    return { value: items.map(({ value }) => value), size: sizeOf(items) };
  }

  #readMap(node: YAMLMap, depth: number): Read {
    const own = new Map<string, unknown>();
    const inherited = new Map<string, unknown>();
    const parts: Read[] = [];
    for (const pair of node.items) {
      const part = this.read(pair.value, depth + 1);
      parts.push(part);
      if (isMerge(pair)) this.#merge(pair, inherited);
      else own.set(keyOf(pair), part.value);
    }
    this.#pairs.set(node, this.#indexPairs(node));
    return { value: Object.fromEntries([...inherited, ...own]), size: sizeOf(parts) };
  }

  #indexPairs(node: YAMLMap): Map<string, Pair> {
    const pairs = new Map<string, Pair>();
    for (const pair of node.items.filter((item) => !isMerge(item))) {
      const key = keyOf(pair);
      if (pairs.has(key) && isNode(pair.key))
        this.complain(pair.key, `the key \`${key}\` appears twice in this map`, "remove one of them");
      pairs.set(key, pair);
    }
    return pairs;
  }

  #merge(pair: Pair, inherited: Map<string, unknown>): void {
    for (const source of this.#mergeSources(pair)) {
      const values = isMap(source) ? this.#done.get(source)?.value : undefined;
      if (typeof values !== "object" || values === null) {
        if (this.#isBomb) return;
        if (isNode(pair.key)) this.complain(pair.key, "`<<` takes a map or a list of maps");
        return;
      }
      for (const [key, value] of Object.entries(values)) if (!inherited.has(key)) inherited.set(key, value);
    }
  }

  #mergeSources(pair: Pair): unknown[] {
    const value = this.resolve(pair.value);
    return isSeq(value) ? value.items.map((item) => this.resolve(item)) : [value];
  }
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : "";
}

function isMerge(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.value === "<<" && pair.key.type === "PLAIN";
}

function sizeOf(parts: readonly Read[]): number {
  return parts.reduce((sum, part) => sum + part.size, 1);
}
