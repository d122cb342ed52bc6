import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { readIfFile } from "../files/files.ts";
import { ancestors, holdsRepository } from "../files/find-project.ts";
import type { Git } from "./git.ts";

export interface GitPlaces {
  readonly top: string;
  readonly prefix: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly index: string;
  readonly objects: string;
  readonly namesAttributes?: boolean;
}

type Layout = Omit<GitPlaces, "namesAttributes">;

/**
 * Reads the layout that git documents; asks git where it is unusual. A process costs more than everything else that an early
 * exit does.
 */
export async function findPlaces(git: Git): Promise<GitPlaces | undefined> {
  return placesByLayout(git.cwd) ?? (await placesByGit(git));
}

function placesByLayout(dir: string): GitPlaces | undefined {
  const layout = layoutOf(dir);
  if (layout === undefined) return undefined;
  try {
    const config = readFile(join(layout.commonDir, "config"));
    if (/worktree|include/i.test(config)) return undefined; // the work tree may be somewhere else than around `.git`
    return { ...layout, namesAttributes: /attributesfile/i.test(config) };
  } catch {
    return undefined;
  }
}

function layoutOf(dir: string): Layout | undefined {
  try {
    const from = realpathSync.native(dir);
    const top = ancestors(from).find(holdsRepository);
    if (top === undefined) return undefined;
    const gitDir = gitDirOf(join(top, ".git"));
    const common = readIfFile(join(gitDir, "commondir"));
    const commonDir = common === undefined ? gitDir : resolve(gitDir, common.trim());
    const prefix = relative(top, from).replaceAll(sep, "/");
    return {
      top,
      prefix: prefix === "" ? "" : `${prefix}/`,
      gitDir,
      commonDir,
      index: join(gitDir, "index"),
      objects: join(commonDir, "objects"),
    };
  } catch {
    return undefined;
  }
}

/** The top of the work tree around a directory. */
export function topOf(dir: string): string | undefined {
  return layoutOf(dir)?.top;
}

/** The same project in the main work tree, and the name of the linked one. If that is unknown, the project itself. */
export function mainProject(root: string): { readonly root: string; readonly worktree?: string } {
  const places = layoutOf(root);
  if (places === undefined || places.gitDir === places.commonDir) return { root };
  const { gitDir, commonDir, prefix } = places;
  const main = basename(commonDir) === ".git" ? dirname(commonDir) : commonDir;
  return { root: join(main, prefix), worktree: basename(gitDir) };
}

/**
 * The same project in the main work tree, if the repository knows this work tree: a `.git` file may name any repository, but
 * only its owner can make it name the work tree in turn.
 */
export function registeredMain(root: string): string | undefined {
  const places = placesByLayout(root);
  const main = mainProject(root);
  if (places === undefined || main.worktree === undefined) return undefined;
  try {
    const named = resolve(places.gitDir, readFile(join(places.gitDir, "gitdir")).trim());
    const isKnown = dirname(places.gitDir) === join(places.commonDir, "worktrees");
    return isKnown && realpathSync(named) === realpathSync(join(places.top, ".git")) ? main.root : undefined;
  } catch {
    return undefined;
  }
}

/** The same project in the linked work tree around `dir`, if the repository knows that one. */
export function inLinkedTree(dir: string, project: string): string | undefined {
  const [there, here] = [layoutOf(dir), layoutOf(project)];
  if (there === undefined || here === undefined || there.top === here.top) return undefined;
  const main = registeredMain(there.top);
  return main !== undefined && main === mainProject(here.top).root ? join(there.top, here.prefix) : undefined;
}

/** The same, or the one in the main work tree. */
export function projectInTree(dir: string, project: string): string | undefined {
  const [there, here] = [layoutOf(dir), layoutOf(project)];
  if (there === undefined || here === undefined || there.top === here.top) return undefined;
  const isOfMain = mainProject(project).root === join(there.top, here.prefix);
  return isOfMain ? mainProject(project).root : inLinkedTree(dir, project);
}

function gitDirOf(path: string): string {
  if (statSync(path).isDirectory()) return path;
  const target = /^gitdir: (.+)/.exec(readFile(path))?.[1];
  if (target === undefined) throw new Error(`${path} names no directory`);
  return resolve(dirname(path), target.trimEnd());
}

function readFile(path: string): string {
  if (!statSync(path).isFile()) throw new Error(`${path} is not a file`);
  return readFileSync(path, "utf8");
}

async function placesByGit(git: Git): Promise<GitPlaces | undefined> {
  const paths = ["--git-dir", "--git-common-dir", "--git-path", "index", "--git-path", "objects"];
  const asked = ["--show-toplevel", ...paths, "--show-prefix"];
  const answer = await git.output(["rev-parse", "--path-format=absolute", ...asked]);
  if (!answer.ok) return undefined;
  const [top = "", gitDir = "", commonDir = "", index = "", objects = "", prefix = ""] = answer.value
    .toString()
    .split("\n");
  return { top, gitDir, commonDir, index, objects, prefix };
}
