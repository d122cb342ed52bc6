import { readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
  readonly version: string;
};

/** Fields of JSON with a time in milliseconds, or with how long something took. */
const TIMES = new Set(["at"]);
const DURATIONS = new Set(["ms", "durationMs"]);
/** Fields with a hash over what belongs to this machine (paths, times). The hashes of git are always the same and stay. */
const HASHES = new Set(["gates", "environment", "prev", "hash", "session"]);
const HASH = /^(?:[0-9a-f]{32}|[0-9a-f]{64}|[\w-]{43})$/;

const DURATION = String.raw`\d+(?:\.\d)? (?:ms|s|min)`;

/** What differs from run to run in text, each with as much around it as tells it from what must not change. */
const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, "<time>"],
  [/(?<= on )\d{4}-\d\d-\d\d$/gm, "<date>"],
  [/\b(?:just now|\d+ (?:s|min) ago)\b/g, "<ago>"],
  [new RegExp(String.raw`^( *\[(?:PASS|FAIL|WARN|ERROR|SKIP)\] .*?\()${DURATION}(?=\))`, "gm"), "$1<ms>"],
  [new RegExp(String.raw` · ${DURATION}(?: \(.*\))?(?: · slowest: .*?)?(?= · Status: |$)`, "gm"), " · <ms>"], // the slowest is not always the same
  [new RegExp(String.raw`(?<= answered after )${DURATION}`, "g"), "<ms>"],
  [new RegExp(String.raw`(?<=^<time>  .*(?:, |  ))${DURATION}$`, "gm"), "<ms>"],
  [/(?<= time=")\d+\.\d+(?=")/g, "<seconds>"],
  [/\(pid \d+/g, "(pid <pid>"],
  [/(?<=^Error parsing Stop event JSON: ).*$/gm, "<what the engine says>"], // each JavaScript engine has its own words
];

/** Replaces what differs from run to run, and nothing else. */
export class Masks {
  readonly #words: (readonly [word: string, mask: string])[] = [[PACKAGE.version, "<version>"]];
  readonly #hashes = new Map<string, string[]>();

  /** From now on, `word` is shown as `<name>`; longer words come before those that they contain. */
  add(word: string, name: string): void {
    this.#words.push([word, `<${name}>`]);
    this.#words.sort(([one], [other]) => other.length - one.length);
  }

  text(value: string): string {
    const named = this.#words.reduce((text, [word, mask]) => text.replaceAll(word, mask), value);
    return IN_TEXT.reduce((text, [pattern, mask]) => text.replace(pattern, mask), named);
  }

  json(value: unknown, key = ""): unknown {
    if (Array.isArray(value)) return value.map((one) => this.json(one));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [this.text(name), this.json(one, name)]),
      );
    if (typeof value === "number") return this.#number(value, key);
    return typeof value === "string" ? this.#string(value, key) : value;
  }

  #number(value: number, key: string): unknown {
    if (DURATIONS.has(key)) return "<ms>";
    return TIMES.has(key) ? "<time>" : value;
  }

  /** The same hash gets the same number, so that one that changes, or does not, still shows. */
  #string(value: string, key: string): string {
    if (!HASHES.has(key) || !HASH.test(value)) return this.text(value);
    const known = this.#hashes.get(key) ?? [];
    if (!known.includes(value)) known.push(value);
    this.#hashes.set(key, known);
    return `<${key} ${known.indexOf(value) + 1}>`;
  }
}
