import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isNumber, isText, objectOf } from "../../../src/shape.ts";
import { jsonFile } from "../../../src/system/state/json-file.ts";
import { tempDir } from "../../rig/temp-dir.ts";

const counted = jsonFile<{ count: number; text?: string }>(
  1,
  objectOf({ count: isNumber }, { text: isText }),
);

test("the state that was written last counts, and the file stays small", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "state.json");
  const sizes = [];

  for (let count = 0; count <= 500; count++) {
    counted.write(path, { count, text: "a".repeat(500) });
    sizes.push(statSync(path).size);
  }

  expect(counted.read(path).value?.count).toBe(500);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(32 * 1024);
});

test.runIf(process.platform !== "win32")("a state is appended to the file that is there", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "state.json");
  counted.write(path, { count: 1 });
  const { ino } = statSync(path);

  counted.write(path, { count: 2 });

  expect(statSync(path).ino).toBe(ino);
  expect(readFileSync(path, "utf8").split("\n").filter(Boolean)).toHaveLength(2);
});

test("of a write that was cut off, nothing counts, and the next one is read", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "state.json");
  counted.write(path, { count: 1 });
  appendFileSync(path, '\n{"version":1,"writtenAt":1,"state":{"cou');

  const meanwhile = counted.read(path);
  counted.write(path, { count: 2 });

  expect(meanwhile).toEqual({ value: { count: 1 } });
  expect(counted.read(path)).toEqual({ value: { count: 2 } });
});

test.each([
  ["half of a character", Buffer.from([0x0a, 0x7b, 0x22, 0xe2, 0x9c])],
  ["a zero", Buffer.from([0x00])],
  ["a line of another encoding", Buffer.from("\nséance\n", "latin1")],
  ["a line of UTF-16", Buffer.from("\n{}\n", "utf16le")],
])("%s after a state does not outlast the next one", async (_, bytes) => {
  await using dir = await tempDir();
  const path = join(dir.path, "state.json");
  counted.write(path, { count: 1 });
  appendFileSync(path, bytes);

  counted.write(path, { count: 2 });

  expect(counted.read(path)).toEqual({ value: { count: 2 } });
});

test("a state larger than a file may become is kept whole", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "state.json");

  for (const count of [1, 2, 3]) counted.write(path, { count, text: "a".repeat(100_000) });

  expect(counted.read(path).value?.count).toBe(3);
  expect(statSync(path).size).toBeLessThan(101_000);
});

test.each([
  ["a link to another file", symlinkSync],
  ["another name of a file", linkSync],
])("%s in its place is replaced, and that file keeps every byte", async (_, put) => {
  await using dir = await tempDir();
  const path = join(dir.path, "state.json");
  const other = join(dir.path, "other");
  writeFileSync(other, "precious\n", { mode: 0o600 });
  put(other, path);

  counted.write(path, { count: 1 });

  expect(readFileSync(other, "utf8")).toBe("precious\n");
  expect(lstatSync(path).nlink).toBe(1);
  expect(counted.read(path).value).toEqual({ count: 1 });
});

test.runIf(process.platform !== "win32")(
  "one that others may read is so no longer once it is written",
  async () => {
    await using dir = await tempDir();
    const path = join(dir.path, "state.json");
    counted.write(path, { count: 1 });
    chmodSync(path, 0o644);

    counted.write(path, { count: 2 });

    expect(statSync(path).mode & 0o777).toBe(0o600);
  },
);
