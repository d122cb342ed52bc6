import { join } from "node:path";
import { makeScratch, removeScratch } from "../files/owned-scratch.ts";
import type { KeptTree } from "./compare/base.ts";
import { Git, objectsEnv, splitNul } from "./git.ts";

/** What differs in a work tree from an earlier one; undefined if that cannot be read. */
export async function pathsSinceTree(
  top: string,
  { tree, objects }: KeptTree,
): Promise<readonly string[] | undefined> {
  const scratch = makeScratch();
  try {
    const index = join(scratch, "index");
    const env = { ...objectsEnv(objects), GIT_INDEX_FILE: index };
    const read = await new Git(top).output(["read-tree", tree], { env });
    return read.ok ? await pathsSinceIndex(top, index, env) : undefined;
  } finally {
    removeScratch(scratch);
  }
}

/** A repository inside of the work tree is one path. */
export async function pathsSinceIndex(
  top: string,
  index: string,
  more: Readonly<Record<string, string>> = {},
): Promise<readonly string[] | undefined> {
  const status = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"];
  const answer = await new Git(top).output(status, { env: { ...more, GIT_INDEX_FILE: index } });
  if (!answer.ok) return undefined;
  return splitNul(answer.value)
    .map(String)
    .filter((line) => line.charAt(1) !== " ") // the second column is the work tree beside the index
    .map((line) => join(top, line.slice(3)));
}
