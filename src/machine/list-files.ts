import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type AbsolutePath, type ProjectPath, projectPath } from "../core/path.ts";

/** Where a walk without git's help must not get lost. */
const NEVER_ENTERED = new Set([".git", "node_modules"]);
const MAX_FILES = 500_000;

/** Files below a directory that is not under version control. */
interface FileList {
  readonly files: readonly ProjectPath[];
  /** Whether there were so many that the walk was ended early. */
  readonly isCut: boolean;
}

/** Every file below a directory, by project path; bounded. */
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
