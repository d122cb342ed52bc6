import { join } from "node:path";
import { readText, writeFileAtomic } from "../../system/files/files.ts";
import { projectFiles } from "../../system/files/list-files.ts";
import { Git } from "../../system/git/git.ts";
import { Repository } from "../../system/git/repository.ts";
import { makeScratchTree, type ScratchTree } from "../../system/git/scratch-tree.ts";
import { listUntracked, takeSnapshot } from "../../system/git/snapshot.ts";
import { treeIdOf } from "../../system/git/tree-id.ts";
import type { Terminal } from "../../report/terminal.ts";
import { explain } from "../../trouble.ts";
import { kindOf, type Plant, plantsFor } from "./plant-errors.ts";
import { passesIn, type Trial } from "./run-trial.ts";

export interface Blind {
  readonly trial: Trial;
  /** How many files had an error that the check did not find. */
  readonly files: number;
}

/**
 * Those of the passing checks that stay green although every file they may read has an error, tried in a copy outside the project;
 * or why there is no copy.
 */
export async function findBlind(
  passing: readonly Trial[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<readonly Blind[] | string> {
  const files = await projectFiles(terminal.cwd);
  const planted = passing.flatMap((trial) => {
    const kind = kindOf(trial.check);
    const below = files.filter((file) => trial.path === "." || file.startsWith(`${trial.path}/`));
    const plants = kind === undefined ? [] : plantsFor(kind, below);
    return plants.length === 0 ? [] : [{ trial, plants }];
  });
  if (planted.length === 0) return [];
  const made = await copyOf(terminal.cwd, signal);
  if (typeof made === "string") return made;
  await using copy = made;
  if (copy.missing !== undefined) return copy.missing;
  const blind: Blind[] = [];
  for (const { trial, plants } of planted) {
    if (signal.aborted) break;
    const isGreen = await withPlants(copy.root, plants, () => passesIn(copy.root, trial, terminal, signal));
    if (isGreen) blind.push({ trial, files: plants.length });
  }
  return blind;
}

interface Copy extends ScratchTree {
  /** The project in the copy of its repository. */
  readonly root: string;
}

async function copyOf(cwd: string, signal: AbortSignal): Promise<Copy | string> {
  const repository = await Repository.around(new Git(cwd, signal));
  if (repository === undefined) return "this is not a git repository";
  await using snapshot = await takeSnapshot(repository, { untracked: () => listUntracked(repository) });
  const tree = treeIdOf(await snapshot.writeTree());
  if (tree === undefined || snapshot.directory === undefined) return "git cannot store the files";
  const head = await repository.git.output(["rev-parse", "--verify", "--quiet", "HEAD"]);
  const stored = {
    tree,
    head: head.ok ? head.value.toString().trim() : undefined,
    objects: [snapshot.directory],
    isCurrent: true,
  } as const;
  const scratch = await makeScratchTree(repository, stored, signal);
  if (!scratch.ok) return explain(scratch.trouble);
  return { ...scratch.value, root: join(scratch.value.top, repository.places.prefix) };
}

async function withPlants<T>(root: string, plants: readonly Plant[], act: () => Promise<T>): Promise<T> {
  const before = plants.map(({ file }) => {
    const text = readText(join(root, file));
    return { path: join(root, file), text: text.ok ? text.value : undefined };
  });
  for (const [index, { line, isFirst }] of plants.entries()) {
    const { path, text } = before[index] ?? {};
    if (path !== undefined && text !== undefined)
      writeFileAtomic(path, isFirst ? `${line}\n${text}` : `${text}\n${line}\n`);
  }
  try {
    return await act();
  } finally {
    for (const { path, text } of before) if (text !== undefined) writeFileAtomic(path, text);
  }
}
