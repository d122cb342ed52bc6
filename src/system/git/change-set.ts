import type { ProjectPath } from "../../path.ts";

/** What changed in the project, and relative to what. */
export interface ChangeSet {
  /** In words: `origin/main (1a2b3c4)`, `the last commit`, `nothing (not in a git repository)`. */
  readonly comparedTo: string;
  /** The commit the change is measured from, where there is one. */
  readonly baseCommit?: string;
  /** What HEAD is, where there is a commit. */
  readonly head?: string;
  /** Why commits may hide changes from this comparison, in words, with what to do about it. */
  readonly uncheckedCommits?: string;
  /** The commit the change ends with, where it is not the work tree. */
  readonly commit?: string;
  readonly files: readonly ChangedFile[];
  /** Surprises worth telling: a missing base branch, no git. */
  readonly notes: readonly string[];
}

export interface ChangedFile {
  readonly path: ProjectPath;
  readonly change: "added" | "modified" | "deleted" | "renamed" | "untracked" | "unmerged";
  /** Where a renamed file came from; it counts as deleted there. */
  readonly from?: ProjectPath;
  /** It is a submodule or another repository inside this one: what changed is somewhere below it. */
  readonly isRepository?: boolean;
}
