import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CappedLog } from "../../../src/system/logs/capped-log.ts";
import { tempDir } from "../../rig/temp-dir.ts";

test("keeps everything below the cap, byte for byte", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "gate.log");
  const log = new CappedLog(path, { headBytes: 8, tailBytes: 8 });

  log.write(Buffer.from([0xff, 0x00, 0x1b]));
  log.write(Buffer.from("plain text"));
  log.close();

  expect(readFileSync(path)).toEqual(
    Buffer.concat([Buffer.from([0xff, 0x00, 0x1b]), Buffer.from("plain text")]),
  );
});

test("keeps head and tail above the cap and says how much it dropped, under any chunking", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "gate.log");

  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 30 }), (chunks) => {
      const log = new CappedLog(path, { headBytes: 10, tailBytes: 16 });
      for (const chunk of chunks) log.write(Buffer.from(chunk));
      log.close();

      const all = Buffer.concat(chunks);
      const kept = readFileSync(path);
      rmSync(path);
      const gap = Buffer.from(`\n[… ${all.length - 26} bytes dropped …]\n`);
      const expected =
        all.length <= 26 ? all : Buffer.concat([all.subarray(0, 10), gap, all.subarray(all.length - 16)]);
      expect(kept.equals(expected)).toBe(true);
    }),
  );
});

test.each([700_000, 1_300_001, 1_999_999])(
  "keeps head and tail of what is larger than it moves at once (%d bytes)",
  async (length) => {
    await using dir = await tempDir();
    const path = join(dir.path, "gate.log");
    const all = Buffer.from(Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 0xff));
    const log = new CappedLog(path, { headBytes: 1000, tailBytes: 600_000 });

    for (let at = 0; at < length; at += 65_521) log.write(all.subarray(at, at + 65_521));
    log.close();

    const gap = Buffer.from(`\n[… ${length - 601_000} bytes dropped …]\n`);
    const expected = Buffer.concat([all.subarray(0, 1000), gap, all.subarray(length - 600_000)]);
    expect(readFileSync(path).equals(expected)).toBe(true);
  },
);

test("is readable by its owner only", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "gate.log");

  new CappedLog(path).close();

  expect(statSync(path).mode & 0o777).toBe(0o600);
});
