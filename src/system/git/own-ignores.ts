import { type Git, LOOK_OPTIONS, splitNul } from "./git.ts";
import type { Repository } from "./repository.ts";

/** Has `git ls-files --others` list each `.gitignore`, too: a directory may hide itself, and its rules with it. */
export const WITH_IGNORE_FILES = "--exclude=!.gitignore";

/** The `.gitignore` files that are not in the index, ignored ones included, from the top. */
export async function listIgnoreFiles(top: Git): Promise<readonly string[] | undefined> {
  const list = ["ls-files", "-z", "--others", "--exclude-standard", WITH_IGNORE_FILES];
  const listed = await top.output([...list, "--", ":(glob)**/.gitignore"]);
  return listed.ok ? splitNul(listed.value).slice(0, MOST_FILES) : undefined;
}

/** More than projects have. */
const MOST_FILES = 1_000;

/** A file or directory that git ignores, and the file with the rule. */
export interface HiddenPath {
  readonly path: string;
  readonly by: string;
}

interface Rules {
  /** `.gitignore` files, from the top. */
  readonly files: readonly string[];
  /** A commit that may have had some of the rules already. */
  readonly before: string | undefined;
}

/** What git ignores by the rules in these files that were not there before. */
export async function hiddenByRules(
  repository: Repository,
  { files, before }: Rules,
): Promise<readonly HiddenPath[]> {
  const { top } = repository;
  const directories = files.map((name) => name.slice(0, -".gitignore".length) || ".");
  const ask = [...LOOK_OPTIONS, "--literal-pathspecs", "status", "--porcelain", "-z", "--ignored=matching"];
  const args = [...ask, "--untracked-files=all", "--", ...directories];
  const status = await repository.look((env) => top.output(args, { env }));
  if (!status.ok) return [];
  const ignored = splitNul(status.value).flatMap((entry) => (entry.startsWith("!! ") ? entry.slice(3) : []));
  const candidates = ignored.filter((path) => !isOfTools(path)).slice(0, MOST_FILES);
  if (candidates.length === 0) return [];
  const stdin = candidates.map((path) => `${path}\0`).join("");
  const explained = await top.output(["check-ignore", "--verbose", "-z", "--stdin"], { stdin });
  if (!explained.ok) return [];
  const fields = splitNul(explained.value);
  const old = new Map<string, ReadonlySet<string>>();
  for (const name of files) old.set(name, await rulesAt(top, before, name));
  return candidates.flatMap((_, at) => {
    const [by = "", , pattern = "", path = ""] = fields.slice(at * 4, at * 4 + 4);
    const known = old.get(by);
    return known === undefined || known.has(pattern) ? [] : [{ path, by }];
  });
}

async function rulesAt(top: Git, commit: string | undefined, name: string): Promise<ReadonlySet<string>> {
  const shown = commit === undefined ? undefined : await top.ask(["show", `${commit}:${name}`]);
  const isThere = shown?.ok === true && shown.value.exitCode === 0;
  return new Set(
    isThere
      ? shown.value.stdout
          .toString()
          .split("\n")
          .map((line) => line.trim())
      : [],
  );
}

/** Caches and environments that tools make, many with a `.gitignore` of their own. */
export function isOfTools(path: string): boolean {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.some((part) => part.startsWith(".") || TOOLS.has(part));
}

const TOOLS = new Set(["node_modules", "__pycache__", "venv", "htmlcov"]);
