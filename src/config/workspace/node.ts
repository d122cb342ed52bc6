import { parse as parseYaml } from "yaml";
import { posix } from "node:path";
import { type Described, type Manifests, mapAt, members, parsed, textsIn } from "./manifests.ts";

const KINDS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/** Packages of npm, yarn, bun (`workspaces`), pnpm and lerna, and projects of Nx, which may have no package.json at all. */
export function readNode(manifests: Manifests): readonly Described[] {
  const root = json(manifests, "package.json");
  const { workspaces } = mapAt(root);
  const globs = [
    ...textsIn(workspaces),
    ...textsIn(mapAt(workspaces)["packages"]),
    ...textsIn(mapAt(parsed(manifests.read("pnpm-workspace.yaml"), parseYaml))["packages"]),
    ...textsIn(mapAt(json(manifests, "lerna.json"))["packages"]),
  ];
  const packages =
    globs.length === 0
      ? []
      : members(manifests, "package.json", globs).map((one) => describe(manifests, one));
  return [...packages, ...nxProjects(manifests)];
}

function describe(
  manifests: Manifests,
  { directory, path }: { readonly directory: string; readonly path: string },
): Described {
  const manifest = json(manifests, path);
  const { name } = mapAt(manifest);
  const uses = KINDS.flatMap((kind) => Object.keys(mapAt(manifest, kind)));
  return { directory, name: typeof name === "string" ? name : directory, manifest: path, uses };
}

/** What Nx finds out by reading imports is not known here; what its files say is. */
function nxProjects(manifests: Manifests): readonly Described[] {
  if (!manifests.paths.includes("nx.json")) return [];
  return members(manifests, "project.json", ["**"]).map(({ directory, path }) => {
    const project = json(manifests, path);
    const { name } = mapAt(project);
    const own = json(manifests, posix.join(directory, "package.json"));
    const uses = [
      ...textsIn(mapAt(project)["implicitDependencies"]),
      ...KINDS.flatMap((kind) => Object.keys(mapAt(own, kind))),
    ];
    return {
      directory,
      name: typeof name === "string" ? name : posix.basename(directory),
      manifest: path,
      uses,
    };
  });
}

function json({ read }: Manifests, path: string): unknown {
  return parsed(read(path), JSON.parse);
}
