import packageJson from "../../../package.json" with { type: "json" };
import { type Diagnostic, ok, type Result } from "../../trouble.ts";
import type { AbsolutePath } from "../../path.ts";
import type { Settings } from "../settings.ts";
import { areSettled, type FileStamp, isAsStamped, stampOf } from "../../system/files/file-stamp.ts";
import { readCacheFile, writeCacheFile } from "../../system/state/user-cache.ts";
import type { LoadedSettings } from "./load.ts";
import { withEnvironment, withoutOverrides } from "./environment-overrides.ts";
import type { Environment } from "../../system/process/environment.ts";

interface KnownSettings {
  readonly settings: Settings;
  readonly warnings: readonly Diagnostic[];
}

/**
 * The settings of a project, from the cache if none of their files has changed. Without it every stop parses
 * and validates them, which costs more than starting Node (docs/decisions/0090). The cache is in the user's
 * directory, because a project could forge one of its own.
 */
export async function loadSettingsQuickly(
  root: AbsolutePath,
  env: Environment,
): Promise<Result<KnownSettings>> {
  const cached = readCached(root, env);
  if (cached !== undefined) return ok(inEnvironment(cached, env));
  const loaded = await loadSettingsAgain(root, withoutOverrides(env));
  if (!loaded.ok) return loaded;
  const { settings, warnings, files } = loaded.value;
  remember({ settings, warnings }, files, env);
  return ok(inEnvironment({ settings, warnings }, env));
}

export async function loadSettingsAgain(
  root: AbsolutePath,
  env: Environment,
): Promise<Result<LoadedSettings>> {
  const { loadSettings } = await import("./load.ts");
  return loadSettings(root, env);
}

function inEnvironment({ settings, warnings }: KnownSettings, env: Environment): KnownSettings {
  const stopHook = withEnvironment(settings.stopHook, env);
  const { enabled, runIntervalMinutes } = stopHook;
  const isAsWritten =
    enabled === settings.stopHook.enabled && runIntervalMinutes === settings.stopHook.runIntervalMinutes;
  if (isAsWritten) return { settings, warnings };
  const definitionHash = `${settings.definitionHash}+${enabled},${runIntervalMinutes}`;
  return { settings: { ...settings, stopHook, definitionHash }, warnings };
}

interface Entry {
  /** The program and the user it was written for; all others read the files. */
  readonly key: string;
  readonly stamps: readonly FileStamp[];
  readonly known: KnownSettings;
}

function readCached(root: AbsolutePath, env: Environment): KnownSettings | undefined {
  const entry = readCacheFile(env, FOLDER, root);
  if (!isEntry(entry) || entry.key !== keyOf(root, env)) return undefined;
  return entry.stamps.every(isAsStamped) ? entry.known : undefined;
}

/** A file written a moment ago could change again with the same time, so it is not cached yet. */
function remember(known: KnownSettings, files: readonly string[], env: Environment): void {
  const { root } = known.settings;
  const stamps = [...new Set(files)].map(stampOf);
  if (!areSettled(stamps)) return;
  writeCacheFile(env, {
    folder: FOLDER,
    name: root,
    value: { key: keyOf(root, env), stamps, known } satisfies Entry,
  });
}

const FOLDER = "settings";

/**
 * Raise it if the shape of `Settings` changes. Node and native share the cache, so the program file is not
 * part of the key.
 */
const SHAPE = 25;

function keyOf(root: AbsolutePath, { XDG_CONFIG_HOME, HOME, USERPROFILE }: Environment): string {
  const program = [packageJson.version, SHAPE];
  return JSON.stringify([...program, root, XDG_CONFIG_HOME, HOME, USERPROFILE]);
}

/** Enough to recognise the shape: only this program writes the cache, and what it writes was validated. */
function isEntry(value: unknown): value is Entry {
  if (typeof value !== "object" || value === null) return false;
  const { key, stamps, known } = value as Partial<Record<keyof Entry, unknown>>; // checked right here
  return typeof key === "string" && Array.isArray(stamps) && typeof known === "object" && known !== null;
}
