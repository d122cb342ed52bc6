import { Git } from "../../machine/git/git.ts";

/** Names of the branch that everything ends up in, most usual first. */
const MAIN_NAMES = ["main", "master", "trunk"];

/**
 * The branch to compare changes with: the default branch of the remote, else the local main line. Undefined outside git.
 * A repository whose branches have other names is compared with the one it is on.
 */
export async function mainBranch(root: string): Promise<string | undefined> {
  const refs = await linesOf(root, [
    "for-each-ref",
    "--format=%(refname) %(symref)",
    "refs/heads",
    "refs/remotes",
  ]);
  if (refs === undefined) return undefined;
  const branches = refs.map((line) => line.split(" ")).map(([name = "", target = ""]) => ({ name, target }));
  const names = new Set(branches.map(({ name }) => name));
  const head =
    remoteHead(branches) ?? knownRemote(names) ?? MAIN_NAMES.find((name) => names.has(`refs/heads/${name}`));
  return head ?? (await linesOf(root, ["symbolic-ref", "--short", "HEAD"]))?.[0];
}

interface Branch {
  readonly name: string;
  /** What it stands for, where it is but another name. */
  readonly target: string;
}

function remoteHead(branches: readonly Branch[]): string | undefined {
  const heads = branches.filter(
    ({ name, target }) => /^refs\/remotes\/[^/]+\/HEAD$/.test(name) && target !== "",
  );
  const head = heads.find(({ name }) => name === "refs/remotes/origin/HEAD") ?? heads[0];
  return head?.target.replace("refs/remotes/", "");
}

/** `git remote add` and `git fetch` do not say which branch is the default. */
function knownRemote(names: ReadonlySet<string>): string | undefined {
  return MAIN_NAMES.map((name) => `origin/${name}`).find((name) => names.has(`refs/remotes/${name}`));
}

async function linesOf(root: string, args: readonly string[]): Promise<readonly string[] | undefined> {
  const answer = await new Git(root).ask(args);
  if (!answer.ok || answer.value.exitCode !== 0) return undefined;
  return answer.value.stdout.toString().split("\n").filter(Boolean);
}
