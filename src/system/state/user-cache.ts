import { parseJson } from "../../json.ts";
import type { Environment } from "../process/environment.ts";
import { join } from "node:path";
import { userDirectory } from "../files/xdg.ts";
import { discard, makePrivateDirectory, namesIn } from "../files/files.ts";
import { readPrivateFile, writePrivateFile } from "../files/private-file.ts";
import { sha256 } from "#runtime";

/**
 * Undefined if missing, damaged or another user's. The value decides which gates run, so it must be what was written: a hash
 * costs less than checking every field, and sees more.
 */
export function readCacheFile(env: Environment, folder: string, name: string): unknown {
  const text = readPrivateFile(join(cacheDirectory(env, folder), fileName(name)));
  if (!text.ok || text.value === undefined) return undefined;
  const json = text.value.slice(text.value.indexOf("\n") + 1);
  return text.value.startsWith(hashLine(json)) ? parseJson(json) : undefined;
}

function hashLine(json: string): string {
  return `${sha256(json)}\n`;
}

export function writeCacheFile(
  env: Environment,
  { folder, name, value }: { readonly folder: string; readonly name: string; readonly value: unknown },
): void {
  const directory = cacheDirectory(env, folder);
  try {
    makePrivateDirectory(directory);
  } catch {
    return;
  }
  const json = JSON.stringify(value);
  writePrivateFile(join(directory, fileName(name)), `${hashLine(json)}${json}`);
}

export function forgetCached(env: Environment, name: string): void {
  for (const folder of namesIn(cacheDirectory(env, "."))) {
    discard(join(cacheDirectory(env, folder), fileName(name)));
  }
}

export function cacheDirectory(env: Environment, folder: string): string {
  return join(userDirectory(env, "XDG_CACHE_HOME", ".cache"), folder);
}

function fileName(name: string): string {
  const readable = encodeURIComponent(name);
  return `${readable.length <= 200 ? readable : sha256(name)}.json`;
}
