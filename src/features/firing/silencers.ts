import { join } from "node:path";
import { isRecord, parseJson } from "../../json.ts";
import { displayPath } from "../../path.ts";
import { unhookedFiles } from "../../stop/hook-removal.ts";
import { readText } from "../../system/files/files.ts";
import type { Environment } from "../../system/process/environment.ts";
import { configDirectory } from "./mods.ts";

/** Something in Claude Code's settings that keeps our stop hook from holding the agent. */
export interface Silencer {
  /** Tells one fact from another. */
  readonly key: string;
  /** A clause: what is the case, and where. */
  readonly text: string;
  /** What undoes it, as an order to the user. */
  readonly undo: string;
}

/** The settings files of a project, the one that wins first (Claude Code 2.1.326, 2026-11-18). */
function settingsFiles(root: string, env: Environment): readonly string[] {
  return [
    join(root, ".claude/settings.local.json"),
    join(root, ".claude/settings.json"),
    join(configDirectory(env), "settings.json"),
  ];
}

const BLOCK_CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/** What the settings files say now; `hooked` are those that had our hook when the session began, none where the plugin serves it. */
export function silencersIn(
  root: string,
  env: Environment,
  hooked: readonly string[] | undefined,
): readonly Silencer[] {
  const files = readSettings(root, env);
  const own = hooked?.filter((path) => files.some((file) => file.path === path)) ?? [];
  const off = files.find(({ settings }) => typeof settings["disableAllHooks"] === "boolean");
  if (off?.settings["disableAllHooks"] === true) return [disabled(off.path), ...capsIn(root, env)];
  const isGone = own.length > 0 && unhookedFiles(own).length === own.length;
  const isBroken = own.length > 0 && own.every(isUnreadable);
  const plugin = files.find(({ settings }) => pluginIn(settings) !== undefined);
  const isPluginOff = hooked?.length === 0 && plugin !== undefined && pluginIn(plugin.settings) === false;
  return [
    ...(isGone ? [removed(own)] : []),
    ...(isBroken && !isGone ? own.map(unreadable) : []),
    ...(isPluginOff ? [withoutPlugin(plugin.path)] : []),
    ...capsIn(root, env),
  ];
}

/** Settings that let Claude Code override the stop hook earlier than by itself. */
export function capsIn(root: string, env: Environment): readonly Silencer[] {
  const capped = readSettings(root, env).find(({ settings }) => capIn(settings) !== undefined);
  return capped === undefined ? [] : cap(capped.path, Number(capIn(capped.settings)));
}

function readSettings(root: string, env: Environment) {
  return settingsFiles(root, env).map((path) => ({ path, settings: settingsIn(path) }));
}

function disabled(path: string): Silencer {
  const file = displayPath(path);
  return {
    key: `disableAllHooks ${path}`,
    text: `\`disableAllHooks\` is set in ${file}`,
    undo: `Remove \`disableAllHooks\` from ${file}`,
  };
}

function removed(paths: readonly string[]): Silencer {
  return {
    key: `removed ${paths.join()}`,
    text: `the stop hook was removed from ${paths.map((path) => displayPath(path)).join(", ")}`,
    undo: "Run `agent-gauntlet install --host claude-code`",
  };
}

function unreadable(path: string): Silencer {
  const file = displayPath(path);
  return {
    key: `unreadable ${path}`,
    text: `${file} is not valid JSON, so Claude Code skips it with our stop hook`,
    undo: `Repair ${file}`,
  };
}

function isUnreadable(path: string): boolean {
  const text = readText(path);
  return text.ok && !isRecord(parseJson(text.value));
}

/** Claude Code drops its hooks at its next start. */
function withoutPlugin(path: string): Silencer {
  const file = displayPath(path);
  return {
    key: `plugin ${path}`,
    text: `the gauntlet plugin is switched off in ${file}`,
    undo: "Run `/plugin enable gauntlet@agent-gauntlet` in Claude Code",
  };
}

/** Whether these settings switch our plugin on or off. */
function pluginIn({ enabledPlugins }: Readonly<Record<string, unknown>>): boolean | undefined {
  const found = Object.entries(isRecord(enabledPlugins) ? enabledPlugins : {}).find(([id]) =>
    id.startsWith("gauntlet@"),
  );
  return typeof found?.[1] === "boolean" ? found[1] : undefined;
}

/** Zero is Claude Code's own cap. */
function cap(path: string, most: number): readonly Silencer[] {
  if (!Number.isInteger(most) || most <= 0) return [];
  const file = displayPath(path);
  const text = `${BLOCK_CAP} in ${file} lets Claude Code ignore the stop hook after ${most === 1 ? "one block" : `${most} blocks`}`;
  return [{ key: `cap ${most} ${path}`, text, undo: `Remove ${BLOCK_CAP} from ${file}` }];
}

function capIn(settings: Readonly<Record<string, unknown>>): string | undefined {
  const { env } = settings;
  const value = isRecord(env) ? env[BLOCK_CAP] : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Claude Code skips a file that it cannot read as JSON, comments included. */
function settingsIn(path: string): Readonly<Record<string, unknown>> {
  const text = readText(path);
  const value = text.ok ? parseJson(text.value) : undefined;
  return isRecord(value) ? value : {};
}
