import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "#runtime";
import { hasCode } from "../files/errno.ts";
import { factsOf } from "../files/files.ts";
import { type Git, splitNul } from "./git.ts";

type Env = Readonly<Record<string, string>>;

/** Attributes with which git does not store a file byte by byte; `crlf` is the old name of `text`. */
const CONVERTING = ["filter", "text", "crlf", "eol", "working-tree-encoding", "ident"];

interface Converted {
  readonly names: readonly string[];
  readonly filtered: readonly string[];
}

export async function convertedFiles(
  git: Git,
  names: readonly string[],
  env: Env,
): Promise<Converted | undefined> {
  const stdin = names.map((name) => `${name}\0`).join("");
  const [settings, attributes] = await Promise.all([
    git.ask(["config", "--get-regexp", "^core\\.(autocrlf|eol)$"]),
    git.output(["check-attr", "-z", "--stdin", ...CONVERTING], { env, stdin }),
  ]);
  if (!settings.ok || !attributes.ok) return undefined;
  const fields = splitNul(attributes.value);
  const converted = new Set<string>();
  const filtered = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [name = "", attribute, value = ""] = fields.slice(at, at + 3);
    if (value === "unspecified" || value === "unset") continue;
    converted.add(name);
    if (attribute === "filter") filtered.add(name);
  }
  const isEach = /autocrlf (?:true|input)/.test(settings.value.stdout.toString());
  return { names: isEach ? names : [...converted], filtered: [...filtered] };
}

/** Files whose bytes on disk are not what git stores. */
export interface UnlikeGit {
  /** Known by their size, which every conversion of git's own changes. */
  readonly names: readonly string[];
  readonly filtered: readonly string[];
}

export async function filesUnlikeGit(top: Git, env: Env): Promise<UnlikeGit | undefined> {
  const listed = await top.output(["ls-files", "-z", "--stage"], { env });
  if (!listed.ok) return undefined;
  const ids = new Map(
    splitNul(listed.value)
      .filter((entry) => entry.startsWith("100"))
      .map((entry) => [entry.slice(entry.indexOf("\t") + 1), entry.split(" ", 2)[1] ?? ""]),
  );
  const converted = await convertedFiles(top, [...ids.keys()], env);
  if (converted === undefined || converted.names.length === 0) return converted;
  const { names, filtered } = converted;
  const stdin = names.map((name) => `${ids.get(name)}\n`).join("");
  const sizes = await top.output(["cat-file", "--batch-check=%(objectsize)"], { env, stdin });
  if (!sizes.ok) return undefined;
  const kept = sizes.value.toString().split("\n");
  const isFiltered = new Set(filtered);
  const resized = names.filter(
    (name, at) => !isFiltered.has(name) && Number(kept[at]) !== factsOf(join(top.cwd, name))?.size,
  );
  return { names: resized, filtered };
}

const MOST_BYTES = 100 * 1024 * 1024;

/**
 * The hash of their bytes, without what programs convert: that may be large, and has its own way to keep versions. Empty if
 * there are none; undefined if unknown or too much.
 */
export async function bytesUnlikeGit(top: Git, env: Env): Promise<string | undefined> {
  const unlike = await filesUnlikeGit(top, env);
  if (unlike === undefined) return undefined;
  const paths = unlike.names.map((name) => join(top.cwd, name));
  const bytes = paths.reduce((sum, path) => sum + (factsOf(path)?.size ?? 0), 0);
  if (bytes > MOST_BYTES) return undefined;
  const hashes = unlike.names.map((name, at) => `${name}\0${hashOf(paths[at] ?? "")}`);
  return hashes.length === 0 ? "" : sha256(hashes.join("\0"));
}

/** A file that is gone changes the tree, which is noticed elsewhere. */
export function hashOf(path: string): string {
  try {
    return sha256(readFileSync(path));
  } catch (error) {
    if (!hasCode(error)) throw error;
    return "unreadable";
  }
}
