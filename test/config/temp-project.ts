import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { LoadedSettings } from "../../src/config/gauntlet/load.ts";
import { loadSettings } from "../../src/config/gauntlet/load.ts";
import { formatDiagnostic } from "../../src/core/diagnostic.ts";
import { absolutePath } from "../../src/core/path.ts";
import type { Result } from "../../src/core/trouble.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A directory with these files that is removed at the end of the block. */
export async function tempProject(files: Files) {
  const root = await mkdtemp(join(tmpdir(), "gauntlet-config-"));
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), content);
  }
  return {
    root: absolutePath(root),
    path: (file: string) => join(root, file),
    load: (env: Record<string, string | undefined> = {}) => loadSettings(absolutePath(root), env),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
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
