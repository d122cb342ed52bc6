import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { explain, type Result } from "../../../src/trouble.ts";
import {
  kindOf,
  listDirectory,
  readBytes,
  readText,
  writeFileAtomic,
} from "../../../src/system/files/files.ts";
import { tempDir } from "../../rig/temp-dir.ts";

function troubleOf(result: Result<unknown>): string {
  return result.ok ? "no trouble" : explain(result.trouble);
}

describe("reading a file", () => {
  test("gives its text without a byte order mark", async () => {
    await using dir = await tempDir();
    const path = join(dir.path, "a.txt");
    await writeFile(path, "\uFEFFgrüße \uFFFD\r\n");

    expect(readText(path)).toEqual({ ok: true, value: "grüße \uFFFD\r\n" });
  });

  test.for<[bytes: number[], detail: string, line: number, column: number]>([
    [[0x61, 0x0a, 0x62, 0xff], "byte 4 is not valid UTF-8", 2, 2],
    [[0xef, 0xbf, 0xbd, 0xc3], "byte 4 is not valid UTF-8", 1, 2],
    [[0xed, 0xa0, 0x80], "byte 1 is not valid UTF-8", 1, 1],
    [[0x61, 0x61, 0x00], "byte 3 is NUL, so it is not a text file", 1, 3],
    [[0xff, 0xfe, 0x61, 0x00], "it is UTF-16; save it as UTF-8", 1, 1],
    [[0x00, 0x61], "it is UTF-16; save it as UTF-8", 1, 1],
  ])("says where %j stops being text", async ([bytes, detail, line, column]) => {
    await using dir = await tempDir();
    const path = join(dir.path, "a.txt");
    await writeFile(path, Buffer.from(bytes));

    expect(readText(path)).toEqual({
      ok: false,
      trouble: { kind: "text-invalid", path, detail, line, column },
    });
  });

  test("that is missing, a directory, too large or a circle of links is trouble", async () => {
    await using dir = await tempDir();
    const at = (name: string): string => join(dir.path, name);
    await mkdir(at("directory"));
    await writeFile(at("large"), "12345");
    await symlink(at("circle"), at("circle"));

    expect(readText(at("none"))).toMatchObject({ ok: false, trouble: { kind: "file-missing" } });
    expect(troubleOf(readText(at("directory")))).toContain("it is a directory, not a file");
    expect(troubleOf(readBytes(at("large"), 4))).toContain("it is larger than");
    expect(troubleOf(readText(at("circle")))).toContain("go in a circle");
    expect(troubleOf(readText(at("large/inside")))).toContain("is a file, not a directory");
  });

  test.skipIf(process.platform === "win32")("that is a pipe without a writer does not wait", async () => {
    await using dir = await tempDir();
    const path = join(dir.path, "pipe");
    execFileSync("mkfifo", [path]);

    expect(troubleOf(readText(path))).toContain("it is not a regular file");
  });
});

test("listing a directory gives sorted names, and trouble for a file", async () => {
  await using dir = await tempDir();
  await Promise.all(["b", "a", "Z"].map((name) => writeFile(join(dir.path, name), "")));

  expect(listDirectory(dir.path)).toEqual({ ok: true, value: ["Z", "a", "b"] });
  expect(troubleOf(listDirectory(join(dir.path, "a")))).toContain("it is not a directory");
});

describe("writing a file", () => {
  test("makes its directory and leaves nothing else behind", async () => {
    await using dir = await tempDir();
    const path = join(dir.path, "deep/er/state.json");

    writeFileAtomic(path, "one");
    expect(writeFileAtomic(path, "two")).toEqual({ ok: true, value: undefined });

    expect(readText(path)).toEqual({ ok: true, value: "two" });
    expect(await readdir(join(dir.path, "deep/er"))).toEqual(["state.json"]);
  });

  test("never shows a reader a part of it", async () => {
    await using dir = await tempDir();
    const path = join(dir.path, "state");
    const contents = ["a".repeat(100_000), "b".repeat(100_000)];
    writeFileAtomic(path, contents[0] ?? "");

    const reading = Promise.all(Array.from({ length: 50 }, () => readFile(path, "utf8")));
    for (let turn = 0; turn < 20; turn++) writeFileAtomic(path, contents[turn % 2] ?? "");
    const seen = await reading;

    expect(seen.every((text) => contents.includes(text))).toBe(true);
  });

  test("over a directory is trouble and leaves nothing behind", async () => {
    await using dir = await tempDir();
    await mkdir(join(dir.path, "state/inside"), { recursive: true });

    const result = writeFileAtomic(join(dir.path, "state"), "text");

    expect(result.ok).toBe(false);
    expect(await readdir(dir.path)).toEqual(["state"]);
  });
});

test("below a file, and behind a link to itself, there is nothing", async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, "file"), "");
  await symlink("loop", join(dir.path, "loop"));

  const kinds = [".", "file", "file/below", "loop", "loop/below"].map((path) => kindOf(join(dir.path, path)));

  expect(kinds).toEqual(["directory", "file", "missing", "missing", "missing"]);
});
