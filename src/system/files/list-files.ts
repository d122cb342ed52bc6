import { promises, readdirSync } from "node:fs";
import { join } from "node:path";
import { type AbsolutePath, type ProjectPath, projectPath, absolutePath } from "../../path.ts";
import { Git, splitNul } from "../git/git.ts";

const NEVER_ENTERED = new Set([".git", "node_modules"]);
const MAX_FILES = 500_000;

interface FileList {
  readonly files: readonly ProjectPath[];
  readonly isCut: boolean;
}

export function listFiles(root: AbsolutePath): FileList {
  const files: ProjectPath[] = [];
  const pending = [projectPath(".")];
  while (pending.length > 0 && files.length < MAX_FILES) {
    const dir = pending.pop() ?? projectPath(".");
    const entries = readDirectory(join(root, dir)).filter(({ name }) => !NEVER_ENTERED.has(name));
    const pathOf = ({ name }: { name: string }): ProjectPath => projectPath(`${dir}/${name}`);
    for (const entry of entries) (entry.isDirectory() ? pending : files).push(pathOf(entry));
  }
  return { files, isCut: pending.length > 0 };
}

function readDirectory(path: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(path);
  } catch {
    return [];
  }
}

function readEntries(path: string) {
  return readdirSync(path, { withFileTypes: true });
}

const MAX_MANIFEST_BYTES = 1_000_000;

const MAX_MANIFESTS = 300;

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

export async function projectFiles(directory: string): Promise<readonly string[]> {
  const listed = await new Git(directory).ask([
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
  ]);
  if (listed.ok && listed.value.exitCode === 0) return splitNul(listed.value.stdout);
  return listFiles(absolutePath(directory)).files;
}

async function readSmall(path: string): Promise<string> {
  try {
    const { size } = await promises.stat(path);
    return size > MAX_MANIFEST_BYTES ? "" : await promises.readFile(path, "utf8");
  } catch {
    return "";
  }
}
