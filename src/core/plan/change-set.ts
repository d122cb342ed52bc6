import { type ProjectPath, displayPath } from "../path.ts";

/** What changed in the project, and relative to what. */
export interface ChangeSet {
  /** In words: `origin/main (1a2b3c4)`, `the last commit`, `nothing (not in a git repository)`. */
  readonly comparedTo: string;
  /** The commit the change is measured from, where there is one. */
  readonly baseCommit?: string;
  /** What HEAD is, where there is a commit. */
  readonly head?: string;
  /** Why commits may hide changes from this comparison, in words, with what to do about it. */
  readonly blindTo?: string;
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

/** One package of a workspace. */
export interface Package {
  /** Relative to the project root. */
  readonly directory: ProjectPath;
  readonly name: string;
  /** The file that says so. */
  readonly manifest: string;
  /** Directories of packages of the same workspace that it depends on. */
  readonly needs: readonly ProjectPath[];
}

/** Why each package is affected by a change in others; packages with changes of their own are not among them. */
export function affectedPackages(
  packages: readonly Package[],
  files: readonly ChangedFile[],
): ReadonlyMap<ProjectPath, string> {
  const paths = files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  const homes = paths.map((path) => homeOf(packages, path));
  const shared = paths.find((path, index) => homes[index] === undefined && isShared(path));
  if (shared !== undefined) {
    const why = `${displayPath(shared)} changed, which belongs to no package: every package is checked`;
    return new Map(packages.map(({ directory }) => [directory, why]));
  }
  return dependents(packages, new Set(homes.flatMap((home) => home?.directory ?? [])));
}

/** The innermost package a file belongs to. */
function homeOf(packages: readonly Package[], path: string): Package | undefined {
  return packages
    .filter(({ directory }) => path === directory || path.startsWith(`${directory}/`))
    .toSorted((one, other) => other.directory.length - one.directory.length)[0];
}

/** Texts beside the packages change no package; lock files and shared configuration may change all. */
function isShared(path: string): boolean {
  return !/(?:\.mdx?|\.txt|(?:^|\/)LICEN[CS]E)$/i.test(path);
}

/** Each package that depends on a changed one, directly or through others, with the edge that leads there. */
function dependents(
  packages: readonly Package[],
  changed: ReadonlySet<ProjectPath>,
): ReadonlyMap<ProjectPath, string> {
  const reasons = new Map<ProjectPath, string>();
  const open = [...changed];
  for (let need = open.shift(); need !== undefined; need = open.shift()) {
    for (const { directory, manifest, needs } of packages) {
      if (!needs.includes(need) || changed.has(directory) || reasons.has(directory)) continue;
      const what = changed.has(need) ? "which changed" : "which depends on what changed";
      reasons.set(directory, `it depends on ${displayPath(need)} (${manifest}), ${what}`);
      open.push(directory);
    }
  }
  return reasons;
}
