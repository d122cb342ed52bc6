import type { Package } from "../../core/package-graph.ts";
import { projectPath } from "../../core/path.ts";
import { readCargo } from "./cargo.ts";
import { readGo } from "./go.ts";
import type { Described, Manifests } from "./manifests.ts";
import { readNode } from "./node.ts";
import { readUv } from "./uv.ts";

/** What to look for. */
export const MANIFEST_NAMES = [
  "package.json",
  "pnpm-workspace.yaml",
  "lerna.json",
  "nx.json",
  "project.json",
  "Cargo.toml",
  "go.work",
  "go.mod",
  "pyproject.toml",
];

/** Every package of every workspace of a project: npm, pnpm, yarn, bun, Nx, Turborepo, Cargo, Go, uv. */
export function readWorkspace(manifests: Manifests): readonly Package[] {
  const described = [readNode, readCargo, readGo, readUv].flatMap((read) => read(manifests));
  const directories = [...new Set(described.map(({ directory }) => directory))];
  return directories.map((directory): Package => {
    const those = described.filter((one) => one.directory === directory);
    const uses = those.flatMap((one) => one.uses);
    const needs = described.filter((one) => one.directory !== directory && isUsed(one, uses));
    const [first] = those;
    return {
      directory: projectPath(directory),
      name: first?.name ?? directory,
      manifest: first?.manifest ?? directory,
      needs: [...new Set(needs.map((one) => projectPath(one.directory)))],
    };
  });
}

function isUsed({ name, directory }: Described, uses: readonly string[]): boolean {
  return uses.includes(name) || uses.includes(directory);
}
