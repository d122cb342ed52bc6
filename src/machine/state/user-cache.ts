import { parseJson } from "../../core/json.ts";
import type { Environment } from "../process/environment.ts";
import { join } from "node:path";
import { userDirectory } from "../files/xdg.ts";
import { discard, makePrivateDirectory, namesIn } from "../files/files.ts";
import { readPrivateFile, writePrivateFile } from "../files/private-file.ts";
import { sha256 } from "#runtime";

/** A value of the user's cache; undefined when it is missing, not JSON, or another user's. */
export function readCacheFile(env: Environment, folder: string, name: string): unknown {
  const text = readPrivateFile(join(cacheDirectory(env, folder), fileName(name)));
  return text.ok && text.value !== undefined ? parseJson(text.value) : undefined;
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
  writePrivateFile(join(directory, fileName(name)), JSON.stringify(value));
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
