import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileLooker } from "../../../src/machine/files/file-marks.ts";
import { tempDir } from "../../rig/temp-dir.ts";

test("marks are compared with the files as they are, those that are not there too, until others take their place", async () => {
  await using dir = await tempDir();
  const [here, later] = [join(dir.path, "here"), join(dir.path, "later")];
  writeFileSync(here, "1");
  const looker = new FileLooker();

  const first = await looker.mark("a", [here, later]);
  const before = await first?.isSame();
  writeFileSync(later, "");
  const after = await first?.isSame();
  const second = await looker.mark("a", [here, later]);

  expect([before, after]).toEqual([true, false]);
  expect(await second?.isSame()).toBe(true);
  expect(await first?.isSame()).toBe(false); // these are not the marks it was asked about
  looker.forget("a");
  expect(await second?.isSame()).toBe(false);
});
