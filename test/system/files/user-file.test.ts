import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  createUserFile,
  readUserFile,
  removeUserFile,
  replaceUserFile,
} from "../../../src/system/files/user-file.ts";
import { tempDir } from "../../rig/temp-dir.ts";

test("a file is replaced whole, with the mode it had and no other file left behind", async () => {
  const file = await place("settings.json");
  await writeFile(file, "before");
  await chmod(file, 0o640);

  await replaceUserFile(file, "after");

  expect(await readFile(file, "utf8")).toBe("after");
  expect((await stat(file)).mode & 0o777).toBe(0o640);
  expect(await readdir(join(file, ".."))).toEqual(["settings.json"]);
});

test("a chain of links to a file that is not there yet is written through, and removed through", async () => {
  const file = await place("settings.json");
  await symlink("second", file);
  await symlink("deeper/real.json", join(file, "../second"));

  await replaceUserFile(file, "text");

  expect(await readlink(file)).toBe("second");
  expect(await readFile(join(file, "../deeper/real.json"), "utf8")).toBe("text");

  await removeUserFile(file);

  expect(await readlink(file)).toBe("second");
  expect(existsSync(join(file, "../deeper/real.json"))).toBe(false);
});

test("links in a circle are trouble, not a wait", async () => {
  const file = await place("settings.json");
  await symlink("settings.json", file);

  expect(await readUserFile(file)).toMatchObject({ ok: false, trouble: { kind: "file-failed" } });
  expect(await replaceUserFile(file, "text")).toMatchObject({ ok: false, trouble: { kind: "file-failed" } });
});

test("a failed write leaves nothing behind and says why", async () => {
  const file = await place("settings.json");
  await mkdir(file);

  const written = await replaceUserFile(file, "text");

  expect(written).toMatchObject({ ok: false, trouble: { kind: "file-failed", action: "write", path: file } });
  expect(await readdir(join(file, ".."))).toEqual(["settings.json"]);
});

test("removing the last file of a directory removes the directory, and only then", async () => {
  const file = await place(".claude/settings.json");
  await createUserFile(file, "{}");
  await createUserFile(join(file, "../agents.md"), "mine");

  await removeUserFile(file);
  expect(existsSync(join(file, "../agents.md"))).toBe(true);

  await removeUserFile(join(file, "../agents.md"));
  expect(existsSync(join(file, ".."))).toBe(false);
});

test("a file that is there is not created again", async () => {
  const file = await place("config.yml");
  await writeFile(file, "mine");

  expect(await createUserFile(file, "ours")).toEqual({ ok: true, value: false });
  expect(await readFile(file, "utf8")).toBe("mine");
});

test("a byte order mark is part of the text", async () => {
  const file = await place("settings.json");
  await writeFile(file, "\uFEFF{}");

  expect(await readUserFile(file)).toEqual({ ok: true, value: "\uFEFF{}" });
});

async function place(name: string): Promise<string> {
  const directory = await tempDir();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return join(directory.path, name);
}
