import type { LoadedSettings } from "./gauntlet/load.ts";
import type { Diagnostic } from "../trouble.ts";
import { closest } from "../words.ts";
import { Commits } from "../system/git/compare/base.ts";
import { Git } from "../system/git/git.ts";

export async function diagnoseBase({ settings, complainOf }: LoadedSettings): Promise<readonly Diagnostic[]> {
  const { root, baseBranch } = settings;
  const git = new Git(root);
  const repo = new Commits(git);
  if ((await repo.resolve("HEAD")) === undefined) return []; // without a commit, or without git, nothing can be compared
  const found = (await repo.resolve(baseBranch)) ?? (await repo.resolve(`origin/${baseBranch}`));
  if (found !== undefined || repo.trouble !== undefined) return [];
  const { branches, hasRemote } = await branchesIn(git);
  if (!hasRemote && baseBranch.startsWith("origin/")) return []; // a copy without its remote
  const message = `\`base_branch\`: ${baseBranch} does not exist in this repository`;
  const hint = hintFor(baseBranch, branches);
  return complainOf(["base_branch"], { severity: "warning", message, hint });
}

async function branchesIn(git: Git): Promise<{ branches: readonly string[]; hasRemote: boolean }> {
  const listed = await git.output(["for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes"]);
  const refs = listed.ok ? listed.value.toString().split("\n") : [];
  const branches = refs.filter((ref) => ref !== "" && !ref.endsWith("/HEAD"));
  return {
    branches: branches.map((ref) => ref.replace(/^refs\/(?:heads|remotes)\//, "")),
    hasRemote: branches.some((ref) => ref.startsWith("refs/remotes/")),
  };
}

function hintFor(wanted: string, branches: readonly string[]): string {
  const bare = wanted.slice(wanted.indexOf("/") + 1);
  const meant = closest(wanted, branches) ?? branches.find((one) => one === bare);
  return meant === undefined ? "`git branch --all` lists the branches" : `did you mean \`${meant}\`?`;
}
