import { basename, join } from "node:path";
import { displayPath, type ProjectPath } from "../path.ts";
import type { Settings } from "../config/settings.ts";
import { type Diagnostic, explain, fail, ok, type Result } from "../trouble.ts";
import { kindOf } from "../system/files/files.ts";
import { CONFIG_FILE } from "../system/files/find-project.ts";
import { WorkTree } from "../system/git/work-tree.ts";
import { hasNoLinks, isOurName, type LogDir, logDirOf } from "../system/logs/log-dir.ts";
import type { Environment } from "../system/process/environment.ts";
import type { Project } from "./open.ts";

/** Whether a directory may hold our logs: it is where it seems to be, and no file of the project is in it, hidden from every gate. */
export async function checkLogDir(
  { logDir, settings }: Pick<Project, "logDir" | "settings">,
  tree: WorkTree,
): Promise<Result<void>> {
  const real = hasNoLinks(logDir);
  if (!real.ok) return real;
  const foreign = await foreignFile(logDir, settings.logDir, tree);
  if (foreign === undefined) return ok(undefined);
  return fail({ kind: "config-invalid", diagnostics: [holdsFile(settings.logDir, foreign)] });
}

/** What is wrong with the log directory of a project that is not about to run, as a problem of its configuration. */
export async function diagnoseLogDir(settings: Settings, env: Environment): Promise<readonly Diagnostic[]> {
  const { root, logDir, baseBranch } = settings;
  await using tree = await WorkTree.open({ query: { root, logDir, baseBranch }, env });
  const fit = await checkLogDir({ logDir: logDirOf(root, logDir), settings }, tree);
  if (fit.ok) return [];
  if (fit.trouble.kind === "config-invalid") return fit.trouble.diagnostics;
  return [{ severity: "error", file: CONFIG_FILE, message: explain(fit.trouble) }];
}

/** Once it ignores itself, only what was tracked before still shows. */
async function foreignFile(
  { path }: LogDir,
  logDir: ProjectPath,
  tree: WorkTree,
): Promise<string | undefined> {
  const tracked = await tree.filesBelow(logDir, "tracked");
  const found = tracked.find((file) => !KEEPS_DIRECTORY.includes(basename(file)));
  const isNew = kindOf(path) === "directory" && kindOf(join(path, ".gitignore")) === "missing";
  if (found !== undefined || !isNew) return found;
  const untracked = await tree.filesBelow(logDir, "untracked");
  return untracked.find((file) => !isOurName(nameBelow(logDir, file)));
}

/** The first part of a path from the top that is below the log directory. */
function nameBelow(logDir: ProjectPath, file: string): string {
  return file.slice(file.lastIndexOf(`${logDir}/`) + logDir.length + 1).split("/")[0] ?? "";
}

/** What people commit to have an empty directory in every clone. */
const KEEPS_DIRECTORY = [".gitignore", ".gitkeep"];

function holdsFile(logDir: ProjectPath, file: string): Diagnostic {
  return {
    severity: "error",
    file: CONFIG_FILE,
    message: `\`log_dir\` (${displayPath(logDir)}) holds a file of the project: ${displayPath(file)}`,
    hint: "name a directory that is used for nothing else; what is in it never counts as a change",
  };
}
