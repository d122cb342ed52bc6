import { delimiter, join, resolve } from "node:path";
import { displayPath } from "../../path.ts";
import { isRecord, parseJson } from "../../json.ts";
import { namesIn, readText } from "../../system/files/files.ts";
import { homeDirectory } from "../../system/files/xdg.ts";
import type { Environment } from "../../system/process/environment.ts";

/** A plugin of Claude Code with code that runs inside it (a mod): it comes before hooks in settings files and can answer in their place. */
export interface Mod {
  readonly name: string;
  readonly path: string;
  /** Its code names the stop, or all events of hooks; other code may still build the name. */
  readonly answersStops: boolean;
  readonly undo: string;
}

interface Folder {
  readonly path: string;
  readonly undo: string;
}

export interface WhereMods {
  readonly root: string;
  readonly env: Environment;
  readonly sessionId?: string | undefined;
  /** Command lines of the programs above us, one of which may be the agent. */
  readonly above?: readonly (readonly string[])[];
}

/** Every mod that can be seen from outside of Claude Code (2.1.326, 2026-11-19). */
export function findMods({ root, env, sessionId, above = [] }: WhereMods): readonly Mod[] {
  const config = configDirectory(env);
  const folders = [
    ...(env["CLAUDE_CODE_PLUGIN_DIRS"] ?? "")
      .split(delimiter)
      .flatMap((path) => (path === "" ? [] : [{ path, undo: "Unset CLAUDE_CODE_PLUGIN_DIRS" }])),
    ...above.flatMap(pluginDirsIn).map((path) => ({
      path: resolve(root, path),
      undo: "Start Claude Code without --plugin-dir",
    })),
    ...foldersIn(join(config, "skills")),
    ...devFolders(config, sessionId),
    ...installed(config, root),
  ];
  const unique = [...new Map(folders.map((folder) => [folder.path, folder])).values()];
  return unique.flatMap(modIn);
}

export function configDirectory(env: Environment): string {
  return env["CLAUDE_CONFIG_DIR"] || join(homeDirectory(env), ".claude");
}

function foldersIn(directory: string): readonly Folder[] {
  return namesIn(directory).map((name) => {
    const path = join(directory, name);
    return { path, undo: `Run \`rm -r ${displayPath(path)}\`` };
  });
}

/** Loaded into one session by hand, or by its agent; without a session, those of all. */
function devFolders(config: string, sessionId: string | undefined): readonly Folder[] {
  const all = join(config, "dev-mods");
  const sessions = sessionId === undefined ? namesIn(all) : [sessionId];
  return sessions.flatMap((session) => foldersIn(join(all, session)));
}

function installed(config: string, root: string): readonly Folder[] {
  const plugins = jsonIn(join(config, "plugins/installed_plugins.json"))?.["plugins"];
  if (!isRecord(plugins)) return [];
  return Object.entries(plugins).flatMap(([id, copies]) => {
    const list: readonly unknown[] = Array.isArray(copies) ? copies : [];
    return list.flatMap((copy) => {
      if (!isRecord(copy) || typeof copy["installPath"] !== "string") return [];
      const isElsewhere = copy["scope"] !== "user" && copy["projectPath"] !== root;
      return isElsewhere ? [] : [{ path: copy["installPath"], undo: `Run \`claude plugin disable ${id}\`` }];
    });
  });
}

function pluginDirsIn(words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => {
    if (word.startsWith("--plugin-dir=")) return [word.slice("--plugin-dir=".length)];
    const next = words[at + 1];
    return word === "--plugin-dir" && next !== undefined ? [next] : [];
  });
}

function modIn({ path, undo }: Folder): readonly Mod[] {
  const modules = jsonIn(join(path, "hooks/hooks.json"))?.["modules"];
  if (!Array.isArray(modules) || modules.length === 0) return [];
  const name = jsonIn(join(path, ".claude-plugin/plugin.json"))?.["name"];
  const code = modules.map((file) => textIn(join(path, "hooks", String(file)))).join("\n");
  return [
    {
      name: typeof name === "string" ? name : path,
      path,
      answersStops: /classic\.(?:Stop\b|\*)/.test(code),
      undo,
    },
  ];
}

function jsonIn(path: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(textIn(path));
  return isRecord(value) ? value : undefined;
}

function textIn(path: string): string {
  const text = readText(path);
  return text.ok ? text.value : "";
}
