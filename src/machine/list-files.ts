import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type AbsolutePath, type ProjectPath, projectPath } from "../core/path.ts";

/** Where a walk without git's help must not get lost. */
const NEVER_ENTERED = new Set([".git", "node_modules"]);
const MAX_FILES = 50_000;

/** Every file below a directory that is not under version control, by project path; bounded. */
export function listFiles(root: AbsolutePath): readonly ProjectPath[] {
  const files: ProjectPath[] = [];
  const pending = [projectPath(".")];
  for (let dir = pending.pop(); dir !== undefined && files.length < MAX_FILES; dir = pending.pop()) {
    const entries = readDirectory(join(root, dir)).filter(({ name }) => !NEVER_ENTERED.has(name));
    const pathOf = ({ name }: { name: string }): ProjectPath => projectPath(`${dir}/${name}`);
    for (const entry of entries) (entry.isDirectory() ? pending : files).push(pathOf(entry));
  }
  return files;
}

/** A directory we may not read has no files for us. */
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
