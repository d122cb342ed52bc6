import { absolutePath, projectPath } from "../../src/path.ts";
import type { ChangeQuery } from "../../src/system/git/compare/base.ts";
import { WorkTree } from "../../src/system/git/work-tree.ts";

/** The work tree of a directory, compared with `main` by default. */
export function openTree(root: string, query: Partial<ChangeQuery> = {}): Promise<WorkTree> {
  const defaults = { root: absolutePath(root), logDir: projectPath("gauntlet_logs"), baseBranch: "main" };
  return WorkTree.open({ query: { ...defaults, ...query }, env: { HOME: "/nonexistent" } });
}
