import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A fresh directory that is gone when the test ends. */
export async function tempDir(
  prefix = "gauntlet-test-",
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(await realpath(tmpdir()), prefix));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
