import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { absolutePath } from "../core/path.ts";
import { git, splitNul } from "./git.ts";
import { listFiles } from "./list-files.ts";

const MAX_MANIFEST_BYTES = 1_000_000;

/** The files of a project that are not ignored, and the text of those at its top that `isManifest` picks. */
export async function readProject(
  directory: string,
  isManifest: (name: string) => boolean,
): Promise<{ files: readonly string[]; texts: ReadonlyMap<string, string> }> {
  const files = await projectFiles(directory);
  const manifests = files.filter((file) => !file.includes("/") && isManifest(file));
  const texts = await Promise.all(
    manifests.map(async (name) => [name, await readSmall(join(directory, name))] as const),
  );
  return { files, texts: new Map(texts) };
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
