import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { absolutePath } from "../core/path.ts";
import { git, splitNul } from "./git.ts";
import { listFiles } from "./list-files.ts";

const MAX_MANIFEST_BYTES = 1_000_000;

/** More manifests than any project needs to be recognised. */
const MAX_MANIFESTS = 300;

/** The files of a project that are not ignored, and the text of those that `isManifest` picks by their path. */
export async function readProject(
  directory: string,
  isManifest: (path: string) => boolean,
): Promise<{ files: readonly string[]; texts: ReadonlyMap<string, string> }> {
  const files = await projectFiles(directory);
  const manifests = files
    .filter(isManifest)
    .toSorted((one, other) => depthOf(one) - depthOf(other))
    .slice(0, MAX_MANIFESTS);
  const texts = await Promise.all(
    manifests.map(async (name) => [name, await readSmall(join(directory, name))] as const),
  );
  return { files, texts: new Map(texts) };
}

function depthOf(path: string): number {
  return path.split("/").length;
}

async function projectFiles(directory: string): Promise<readonly string[]> {
  const listed = await git(directory, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  if (listed.ok && listed.value.exitCode === 0) return splitNul(listed.value.stdout);
  return listFiles(absolutePath(directory)).files;
}

/** A file that cannot be read, or is far larger than any manifest, tells nothing. */
async function readSmall(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    return size > MAX_MANIFEST_BYTES ? "" : await readFile(path, "utf8");
  } catch {
    return "";
  }
}
