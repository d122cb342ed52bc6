import { accessSync, constants, statfsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A fresh directory that is gone when the test ends. */
export async function tempDir(
  prefix = "gauntlet-test-",
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(await realpath(PARENT), prefix));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

const IN_MEMORY = "/dev/shm";
const ENOUGH_BYTES = 2 ** 31;

/** In memory where Linux offers it: on a disk, a quarter of the tests' time goes into making and removing small files. */
const PARENT = process.env["TMPDIR"] === undefined && hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();

function hasRoom(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
