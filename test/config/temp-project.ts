import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type LoadedSettings, loadSettings } from "../../src/config/gauntlet/load.ts";
import { formatDiagnostic, type Result } from "../../src/trouble.ts";
import { absolutePath } from "../../src/path.ts";
import { tempDir } from "../rig/temp-dir.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A directory with these files that is removed at the end of the block. */
export async function tempProject(files: Files) {
  const directory = await tempDir();
  const path = (file: string): string => join(directory.path, file);
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(path(file)), { recursive: true });
    await writeFile(path(file), content);
  }
  return {
    path,
    load: (env: Record<string, string | undefined> = {}) => loadSettings(absolutePath(directory.path), env),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** Loads a project of these files. */
export async function loadProject(files: Files, env: Record<string, string | undefined> = {}) {
  await using project = await tempProject(files);
  return await project.load(env);
}

/** Loads a project that consists of this config.yml. */
export function loadConfig(text: string | Uint8Array, env: Record<string, string | undefined> = {}) {
  return loadProject({ ".gauntlet/config.yml": text }, env);
}

/** The settings of a load that must succeed. */
export function settingsOf(loaded: Result<LoadedSettings>): LoadedSettings["settings"] {
  if (!loaded.ok) throw new Error(told(loaded));
  return loaded.value.settings;
}

/** Everything a load has to say, as the user sees it. */
export function told(loaded: Result<LoadedSettings>): string {
  if (loaded.ok) return loaded.value.warnings.map(formatDiagnostic).join("\n");
  if (loaded.trouble.kind !== "config-invalid") return loaded.trouble.kind;
  return loaded.trouble.diagnostics.map(formatDiagnostic).join("\n");
}
