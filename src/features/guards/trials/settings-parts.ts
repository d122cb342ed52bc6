import { isRecord, parseJson } from "../../../json.ts";
import type { ProtectedPart } from "../../../config/protected-files.ts";

/** A file with its protected part as in another one, and all else as it is; undefined if one of them cannot be read. */
export function withPartOf(text: string, other: string, part: ProtectedPart): string | undefined {
  return part.format === "json" ? withKeysOf(text, other, part) : withSectionsOf(text, other, part.names);
}

type JsonPart = Extract<ProtectedPart, { readonly format: "json" }>;

function withKeysOf(text: string, other: string, { keys, scripts }: JsonPart): string | undefined {
  const [value, source] = [parseJson(text), parseJson(other)];
  if (!isRecord(value) || !isRecord(source)) return undefined;
  const merged = new Map(Object.entries(value));
  for (const key of keys) {
    if (source[key] === undefined) merged.delete(key);
    else merged.set(key, source[key]);
  }
  for (const key of scripts) {
    const [own, others] = [value[key], source[key]];
    if (isRecord(others)) merged.set(key, isRecord(own) ? { ...own, ...others } : others);
  }
  const result = JSON.stringify(Object.fromEntries(merged), null, 2);
  return result === JSON.stringify(value, null, 2) ? text : `${result}\n`;
}

/** Sections keep their place; those that only the other file has follow at the end. */
function withSectionsOf(text: string, other: string, names: RegExp): string {
  const theirs = sectionsOf(other).filter(({ name }) => names.test(name));
  const left = [...theirs];
  const own = sectionsOf(text).flatMap((section) => {
    if (!names.test(section.name)) return [section.text];
    const at = left.findIndex(({ name }) => name === section.name);
    return at === -1 ? [] : left.splice(at, 1).map((one) => one.text);
  });
  const all = [...own, ...left.map((one) => one.text)];
  return all.map((one, at) => (at === all.length - 1 || one === "" ? one : withNewline(one))).join("");
}

interface Section {
  readonly name: string;
  readonly text: string;
}

/** A line that begins with `[` and is no value of a list that goes on: TOML and INI alike. */
function sectionsOf(text: string): readonly Section[] {
  return text.split(/^(?=\[[^\]\n,"']*["']?[^\n]*\]\s*(?:[#;].*)?$)/m).map((one) => ({
    name: /^\[\[?\s*([^\]\n]+?)\s*\]/.exec(one)?.[1] ?? "",
    text: one,
  }));
}

function withNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
