import { posix } from "node:path";
import { MANIFEST_NAMES, readWorkspace } from "../../config/read-workspace.ts";
import { type ChangeSet, affectedPackages, type Package } from "../../core/plan/change-set.ts";
import type { EntryPoint } from "../../core/settings.ts";
import { readText } from "../../machine/files/files.ts";
import type { WorkTree } from "../../machine/git/work-tree.ts";
import type { Project } from "./project.ts";

/** Puts each package of the workspace, and why it is affected, in the place of `entry_points: auto`. */
export async function expandPackages(project: Project, changes: ChangeSet, tree: WorkTree): Promise<Project> {
  const { root } = project.settings;
  const paths = await tree.listNamed(MANIFEST_NAMES);
  const read = (path: string): string | undefined => {
    const text = readText(posix.join(root, path));
    return text.ok ? text.value : undefined;
  };
  const packages = readWorkspace({ paths, read });
  const entryPoints = project.settings.entryPoints.flatMap((one) =>
    one.isAuto ? expand(one, packages) : [one],
  );
  const settings = { ...project.settings, entryPoints };
  return { ...project, settings, because: affectedPackages(packages, changes.files) };
}

/** A package inside another one has its own gates. Without any package, every gate looks after everything. */
function expand({ gates }: EntryPoint, packages: readonly Package[]): readonly EntryPoint[] {
  if (packages.length === 0) return [{ path: ".", exclude: [], gates }];
  return packages.map(({ directory }) => ({
    path: directory,
    exclude: packages.map((one) => one.directory).filter((one) => one.startsWith(`${directory}/`)),
    gates,
  }));
}
