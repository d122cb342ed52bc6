import { parseJson } from "../../json.ts";
import type { Environment } from "../process/environment.ts";
import { join } from "node:path";
import { userDirectory } from "../files/xdg.ts";
import { discard, makePrivateDirectory, namesIn } from "../files/files.ts";
import { readPrivateFile, writePrivateFile } from "../files/private-file.ts";
import { sha256 } from "#runtime";

/**
 * A value of the user's cache; undefined when it is missing, damaged, or another user's. What is inside decides which gates run, so
 * it must be exactly what was written: a hash in front of it costs less than a look at every field, and sees more.
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

/** Replaces a value as a whole. A cache that cannot be written only costs time. */
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

/** Removes what every folder of the cache has under a name. */
export function forgetCached(env: Environment, name: string): void {
  for (const folder of namesIn(cacheDirectory(env, "."))) {
    discard(join(cacheDirectory(env, folder), fileName(name)));
  }
}

/** A folder of the user's cache. */
export function cacheDirectory(env: Environment, folder: string): string {
  return join(userDirectory(env, "XDG_CACHE_HOME", ".cache"), folder);
}

/** Readable where the name is short enough for every file system. */
function fileName(name: string): string {
  const readable = encodeURIComponent(name);
  return `${readable.length <= 200 ? readable : sha256(name)}.json`;
}
