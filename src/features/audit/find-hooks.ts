import { dirname, join } from "node:path";
import { findHost } from "../../hosts/host-table.ts";
import { isRecord, parseJson } from "../../json.ts";
import { readIfFile } from "../../system/files/files.ts";
import { projectFiles } from "../../system/files/list-files.ts";
import type { FoundHook, HookScript } from "./found-hook.ts";

interface SettingsFile {
  readonly host: string;
  readonly file: string;
  readonly events: readonly string[];
  readonly pluginRoot?: string;
}

const CLAUDE_EVENTS = ["Stop", "SubagentStop", "TaskCompleted"];

const SETTINGS: readonly SettingsFile[] = [
  { host: "claude-code", file: ".claude/settings.json", events: CLAUDE_EVENTS },
  { host: "claude-code", file: ".claude/settings.local.json", events: CLAUDE_EVENTS },
  { host: "codex", file: ".codex/hooks.json", events: ["Stop"] },
  { host: "gemini", file: ".gemini/settings.json", events: ["AfterAgent"] },
  { host: "cursor", file: ".cursor/hooks.json", events: ["stop"] },
];

/** The stop hooks in the settings files of a project and of the plugins in it, each command once. */
export async function findHooks(root: string): Promise<readonly FoundHook[]> {
  const files = new Set(await projectFiles(root));
  const plugins = [...files]
    .filter((file) => /(?:^|\/)\.claude-plugin\/plugin\.json$/.test(file))
    .map((file) => dirname(dirname(file)))
    .map((pluginRoot) => ({
      host: "claude-code",
      file: join(pluginRoot, "hooks/hooks.json"),
      events: CLAUDE_EVENTS,
      pluginRoot,
    }));
  const found = [...SETTINGS, ...plugins].flatMap((settings) => hooksIn(root, settings, files));
  return mergedByCommand(found);
}

function hooksIn(root: string, settings: SettingsFile, files: ReadonlySet<string>): readonly FoundHook[] {
  const text = readIfFile(join(root, settings.file));
  const parsed = text === undefined ? undefined : parseJson(text.replace(/^\uFEFF/, ""));
  const events = isRecord(parsed) ? parsed["hooks"] : undefined;
  if (!isRecord(events)) return [];
  return settings.events.flatMap((event) =>
    entriesOf(events[event]).map((entry) => toHook(entry, event, { root, settings, files })),
  );
}

type Entry = Readonly<Record<string, unknown>>;

/** An event lists groups of hooks, or (Cursor) the hooks themselves. */
function entriesOf(list: unknown): readonly Entry[] {
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  return entries
    .filter((entry) => isRecord(entry))
    .flatMap((entry) => (Array.isArray(entry["hooks"]) ? (entry["hooks"] as unknown[]) : [entry]))
    .filter((hook) => isRecord(hook));
}

interface Context {
  readonly root: string;
  readonly settings: SettingsFile;
  readonly files: ReadonlySet<string>;
}

function toHook(entry: Entry, event: string, { root, settings, files }: Context): FoundHook {
  const { host, file, pluginRoot } = settings;
  const command = typeof entry["command"] === "string" ? entry["command"] : "";
  const args = Array.isArray(entry["args"]) ? entry["args"].map(String) : undefined;
  const line = [command, ...(args ?? [])].join(" ");
  return {
    host,
    file,
    events: [event],
    command,
    ...(args === undefined ? {} : { args }),
    ...timeoutOf(entry, host),
    ...(pluginRoot === undefined ? {} : { pluginRoot }),
    scripts: scriptsIn(line, { root, files, from: pluginRoot ?? "." }),
    ...inertness(entry),
    ...(command === "" ? { untried: `it is no command, but of type ${JSON.stringify(entry["type"])}` } : {}),
  };
}

function timeoutOf(entry: Entry, host: string): { readonly timeoutMs?: number } {
  const { timeout } = entry;
  if (typeof timeout !== "number") return {};
  return { timeoutMs: findHost(host)?.timeoutUnit === "ms" ? timeout : timeout * 1000 };
}

function inertness(entry: Entry): { readonly inert?: string } {
  if (entry["async"] === true) return { inert: '`"async": true`: nobody waits for its answer' };
  if (entry["if"] !== undefined) return { inert: '`"if"` on a stop: the hook never runs' };
  return {};
}

interface Search {
  readonly root: string;
  readonly files: ReadonlySet<string>;
  readonly from: string;
}

const MOST_SCRIPTS = 6;

/** The files of the project that a command line names, then those that these name. */
function scriptsIn(line: string, search: Search): readonly HookScript[] {
  const found: HookScript[] = [];
  const texts = [line];
  for (let text = texts.shift(); text !== undefined && found.length < MOST_SCRIPTS; text = texts.shift())
    for (const path of pathsIn(text, search)) {
      if (found.some((script) => script.path === path) || found.length >= MOST_SCRIPTS) continue;
      const content = readIfFile(join(search.root, path));
      if (content === undefined || content.includes("\0")) continue;
      found.push({ path, text: content });
      if (SHELL.test(path) || content.startsWith("#!")) texts.push(withoutComments(content));
    }
  return found;
}

const SHELL = /\.(?:sh|bash|zsh)$/;

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*#.*$/gm, "");
}

/** What looks like the path of a script, without the variable that it may start with. */
const PATH = /(?:[\w.-]+\/)*[\w.-]+\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|mts|rb|pl|php)\b|(?:[\w.-]+\/)+[\w.-]+/g;

function pathsIn(text: string, { root, files, from }: Search): readonly string[] {
  const isThere = (path: string): boolean => (files.has(path) && isScript(path)) || isHidden(root, path);
  return [...text.matchAll(PATH)].flatMap(([match]) => {
    const path = match.replace(/^(?:\.{1,2}\/|\/)+/, "");
    const candidates = [join(from, path), join(".claude/hooks", path), ...withoutBeginning(path)];
    return candidates.find(isThere) ?? [];
  });
}

/** A variable or the directory of another machine may come before the path. */
function withoutBeginning(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, at) => parts.slice(at).join("/")).filter((rest, at) => at === 0 || rest.includes("/"));
}

/** Settings directories are often ignored by git, and their hooks with them. */
function isHidden(root: string, path: string): boolean {
  return path.startsWith(".claude/") && isScript(path) && readIfFile(join(root, path)) !== undefined;
}

function isScript(path: string): boolean {
  return !/\.(?:json|jsonl|md|txt|lock|toml|ya?ml|log|xml|tmp|d\.ts|test\.ts|spec\.ts)$/.test(path);
}

function mergedByCommand(hooks: readonly FoundHook[]): readonly FoundHook[] {
  const merged = new Map<string, FoundHook>();
  for (const hook of hooks) {
    const key = JSON.stringify([hook.file, hook.command, hook.args]);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, hook);
    else merged.set(key, { ...known, events: [...new Set([...known.events, ...hook.events])] as [string] });
  }
  return [...merged.values()];
}

/** The hooks that the user names by their script, command or settings file; a script that is registered nowhere, too. */
export function chooseHooks(
  hooks: readonly FoundHook[],
  names: readonly string[],
  root: string,
): readonly FoundHook[] | { readonly unknown: string } {
  const chosen: FoundHook[] = [];
  for (const name of names) {
    const path = name.replace(/^\.\//, "");
    const matching = hooks.filter(
      (hook) =>
        hook.file === path ||
        hook.command.includes(path) ||
        hook.scripts.some((script) => script.path === path),
    );
    const unregistered = matching.length === 0 ? scriptAlone(root, path) : undefined;
    if (matching.length === 0 && unregistered === undefined) return { unknown: name };
    chosen.push(...(unregistered === undefined ? matching : [unregistered]));
  }
  return [...new Set(chosen)];
}

function scriptAlone(root: string, path: string): FoundHook | undefined {
  const text = readIfFile(join(root, path));
  if (text === undefined) return undefined;
  const interpreter = INTERPRETERS.find(([name]) => name.test(path))?.[1];
  const quoted = `"$CLAUDE_PROJECT_DIR"/'${path.replaceAll("'", String.raw`'\''`)}'`;
  return {
    host: "claude-code",
    file: path,
    events: ["Stop"],
    command: interpreter === undefined ? quoted : `${interpreter} ${quoted}`,
    scripts: scriptsIn(path, { root, files: new Set([path]), from: "." }),
  };
}

const INTERPRETERS: readonly (readonly [name: RegExp, interpreter: string])[] = [
  [/\.(?:sh|bash)$/, "bash"],
  [/\.py$/, "python3"],
  [/\.[mc]?js$/, "node"],
];
