import { Git } from "../machine/git/git.ts";

/** One line of what git tells a pre-push hook. */
export interface PushedRef {
  readonly localRef: string;
  readonly commit: string;
  readonly remoteRef: string;
}

/** Reads `<local ref> <local id> <remote ref> <remote id>` lines. */
export function readPushedRefs(text: string): readonly PushedRef[] {
  return text
    .split("\n")
    .map((line) => line.trim().split(" "))
    .filter((words) => words.length === 4)
    .map(([localRef = "", commit = "", remoteRef = ""]) => ({ localRef, commit, remoteRef }));
}

/** Why there is nothing to verify about a pushed ref, if so. */
export async function whyUnchecked(
  cwd: string,
  { commit, remoteRef }: PushedRef,
  remote: string | undefined,
): Promise<string | undefined> {
  if (/^0+$/.test(commit)) return "it is deleted";
  if (remoteRef.startsWith("refs/notes/")) return "notes are not work";
  if (remote === undefined || !/^[\w.-]+$/.test(remote)) return undefined;
  const refs = ["for-each-ref", "--count=1", `--contains=${commit}`, `refs/remotes/${remote}/`];
  const known = await new Git(cwd).output(refs);
  return known.ok && known.value.length > 0 ? `${remote} has it already` : undefined;
}
