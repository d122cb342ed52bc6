import { posix } from "node:path";
import { parse as parseToml } from "smol-toml";
import { type Described, type Manifests, mapAt, members, parsed, textsIn } from "./manifests.ts";

const KINDS = ["dependencies", "dev-dependencies", "build-dependencies"];

/** The members of a Cargo workspace. */
export function readCargo(manifests: Manifests): readonly Described[] {
  const workspace = mapAt(parsed(manifests.read("Cargo.toml"), parseToml), "workspace");
  const globs = [...textsIn(workspace["members"]), ...textsIn(workspace["exclude"]).map((one) => `!${one}`)];
  if (globs.length === 0) return [];
  return members(manifests, "Cargo.toml", globs).map(({ directory, path }) => {
    const manifest = parsed(manifests.read(path), parseToml);
    const { name } = mapAt(manifest, "package");
    const tables = [manifest, ...Object.values(mapAt(manifest, "target"))].flatMap((one) =>
      KINDS.map((kind) => mapAt(one, kind)),
    );
    const uses = tables.flatMap((table) =>
      Object.entries(table).flatMap(([key, value]) => usedBy(directory, key, value)),
    );
    return { directory, name: typeof name === "string" ? name : directory, manifest: path, uses };
  });
}

/** By its own name, the name it is renamed from, and its path. */
function usedBy(directory: string, key: string, value: unknown): readonly string[] {
  const { package: renamed, path } = mapAt(value);
  return [
    key,
    ...(typeof renamed === "string" ? [renamed] : []),
    ...(typeof path === "string" ? [posix.join(directory, path).replace(/\/$/, "")] : []),
  ];
}
