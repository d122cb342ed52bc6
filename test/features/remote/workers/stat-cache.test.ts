import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { StatCache } from "../../../../src/features/remote/workers/stat-cache.ts";
import { tempDir } from "../../../rig/temp-dir.ts";

test("marks are compared with the files as they are, those that are not there too, until others take their place", async () => {
  await using dir = await tempDir();
  const [here, later] = [join(dir.path, "here"), join(dir.path, "later")];
  writeFileSync(here, "1");
  const statCache = new StatCache(join(dir.path, "w0"));

  const first = await statCache.mark("a", [here, later]);
  const before = await first?.isSame();
  writeFileSync(later, "");
  const after = await first?.isSame();
  const second = await statCache.mark("a", [here, later]);

  expect([before, after]).toEqual([true, false]);
  expect(await second?.isSame()).toBe(true);
  expect(await first?.isSame()).toBe(false); // these are not the marks it was asked about
  statCache.forget("a");
  expect(await second?.isSame()).toBe(false);
});

test("two that look at once both get an answer, also after one that died while it was its turn", async () => {
  await using dir = await tempDir();
  const homes = ["w0", "w1"].map((name) => join(dir.path, name));
  for (const home of homes) mkdirSync(home);
  const marks = await Promise.all(homes.map((home) => new StatCache(home).mark("a", [home])));
  const lookBoth = (): Promise<unknown> => Promise.all(marks.map(async (one) => one?.isSame()));
  await lookBoth();
  renameSync(join(dir.path, "turn"), join(dir.path, "turn-of-the-dead"));

  expect(await lookBoth()).toHaveLength(2);
  expect(existsSync(join(dir.path, "turn"))).toBe(true);
});
