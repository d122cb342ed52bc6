import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Git, splitNul } from "./git.ts";

type Env = Readonly<Record<string, string>>;

/**
 * Every file of an index below git's directory, by name, with what is in it. Where git keeps something else than the bytes of the
 * file (line endings, filters) those bytes count too; where they cannot be told, there is no list.
 */
export async function listContents(git: Git, env: Env): Promise<ReadonlyMap<string, string> | undefined> {
  const [list, settings] = await Promise.all([
    git.output(["ls-files", "-z", "--stage"], { env }),
    git.ask(["config", "--get-regexp", "^core\\.(autocrlf|eol)$"]),
  ]);
  if (!list.ok || !settings.ok) return undefined;
  const contents = byName(list.value);
  const isConverted = /autocrlf (?:true|input)/.test(settings.value.stdout.toString());
  const converted = isConverted ? [...contents.keys()] : await convertedFiles(git, contents, env);
  if (converted === undefined) return undefined;
  for (const name of converted) {
    const content = contents.get(name);
    if (content?.startsWith("100")) contents.set(name, `${content} ${bytesOf(join(git.cwd, name))}`);
  }
  return contents;
}

/** Names that are not UTF-8 may look the same: those share an entry, which has the bytes of each. */
function byName(list: Buffer): Map<string, string> {
  const contents = new Map<string, string>();
  let from = 0;
  for (let end = list.indexOf(0); end !== -1; end = list.indexOf(0, from)) {
    const tab = list.indexOf("\t", from);
    const name = list.toString("utf8", tab + 1, end);
    const content = list.toString("latin1", from, tab);
    const isExact = !name.includes("\uFFFD");
    const exact = isExact ? content : `${content} ${list.toString("hex", tab + 1, end)}`;
    contents.set(name, [contents.get(name), exact].filter(Boolean).join(" "));
    from = end + 1;
  }
  return contents;
}

const CONVERTING = ["filter", "text", "eol", "working-tree-encoding", "ident"];

/** The files that git does not keep byte by byte, by their attributes. */
async function convertedFiles(
  git: Git,
  contents: ReadonlyMap<string, string>,
  env: Env,
): Promise<readonly string[] | undefined> {
  const stdin = [...contents.keys()].map((name) => `${name}\0`).join("");
  const output = await git.output(["check-attr", "-z", "--stdin", ...CONVERTING], { env, stdin });
  if (!output.ok) return undefined;
  const fields = splitNul(output.value);
  const names = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [name = "", , value = ""] = fields.slice(at, at + 3);
    if (value !== "unspecified" && value !== "unset") names.add(name);
  }
  return [...names];
}

/** A file that is gone by now changes the tree, which is noticed elsewhere. */
function bytesOf(path: string): string {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return "unreadable";
  }
}
