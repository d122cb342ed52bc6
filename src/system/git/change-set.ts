import type { ProjectPath } from "../../path.ts";

export interface ChangeSet {
  /** In words: `origin/main (1a2b3c4)`, `the last commit`, `nothing (not in a git repository)`. */
  readonly comparedTo: string;
  readonly baseCommit?: string;
  readonly head?: string;
  readonly uncheckedCommits?: string;
  /** The commit that the change ends with, if it is not the work tree. */
  readonly commit?: string;
  readonly files: readonly ChangedFile[];
  readonly notes: readonly string[];
}

export interface ChangedFile {
  readonly path: ProjectPath;
  readonly change: "added" | "modified" | "deleted" | "renamed" | "untracked" | "unmerged";
  readonly from?: ProjectPath;
  /** A submodule or another repository: something below it changed. */
  readonly isRepository?: boolean;
}
