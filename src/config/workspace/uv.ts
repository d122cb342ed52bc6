import { parse as parseToml } from "smol-toml";
import { type Described, type Manifests, mapAt, members, parsed, textsIn } from "./manifests.ts";

/** The members of a uv workspace. */
export function readUv(manifests: Manifests): readonly Described[] {
  const workspace = mapAt(parsed(manifests.read("pyproject.toml"), parseToml), "tool", "uv", "workspace");
  const globs = [...textsIn(workspace["members"]), ...textsIn(workspace["exclude"]).map((one) => `!${one}`)];
  if (globs.length === 0) return [];
  return members(manifests, "pyproject.toml", globs).map(({ directory, path }) => {
    const manifest = parsed(manifests.read(path), parseToml);
    const project = mapAt(manifest, "project");
    const name = project["name"];
    const lists = [
      project["dependencies"],
      ...Object.values(mapAt(project["optional-dependencies"])),
      ...Object.values(mapAt(manifest, "dependency-groups")),
    ];
    const uses = lists
      .flatMap(textsIn)
      .map((requirement) => normal(/^[\w.-]+/.exec(requirement.trim())?.[0] ?? ""));
    return { directory, name: normal(typeof name === "string" ? name : directory), manifest: path, uses };
  });
}

/** Names of Python packages differ in letter case and in what joins their words, and mean the same. */
function normal(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}
