import { lstatSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyDirectory } from "../../../src/system/git/dependencies.ts";
import { tempDir } from "../../rig/temp-dir.ts";

const signal = new AbortController().signal;

/** `from`, with a file of 1000 bytes, a link into itself and a script that names its place. */
async function dependencies() {
  const dir = await tempDir();
  const [from, to] = [join(dir.path, "from"), join(dir.path, "to")];
  await mkdir(join(from, "bin"), { recursive: true });
  writeFileSync(join(from, "large"), "x".repeat(1000));
  symlinkSync(join(from, "large"), join(from, "link"));
  writeFileSync(join(from, "bin/tool"), `#!${from}/bin/python\n`, { mode: 0o755 });
  const request = { from, to, moved: { from, to } };
  return { request, from, to, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

test("a copy of dependencies names its own place, in links and scripts", async () => {
  await using made = await dependencies();
  const { request, to } = made;

  expect(await copyDirectory({ ...request, limit: { isClone: false, bytes: 2000, files: 9 } }, signal)).toBe(
    true,
  );

  expect(readlinkSync(join(to, "link"))).toBe(join(to, "large"));
  expect(readFileSync(join(to, "bin/tool"), "utf8")).toBe(`#!${to}/bin/python\n`);
  expect(lstatSync(join(to, "bin/tool")).mode & 0o777).toBe(0o755);
});

test.each([
  ["bytes", { isClone: false, bytes: 999, files: 9 }, false],
  ["files", { isClone: false, bytes: 2000, files: 1 }, false],
  ["bytes, which a clone does not need", { isClone: true, bytes: 0, files: 9 }, true],
])("what is copied is limited in %s", async (_what, limit, isDone) => {
  await using made = await dependencies();

  expect(await copyDirectory({ ...made.request, limit }, signal)).toBe(isDone);
});
