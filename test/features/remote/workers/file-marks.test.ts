import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileMarks } from "../../../../src/features/remote/workers/file-marks.ts";
import { tempDir } from "../../../rig/temp-dir.ts";

test("marks are compared with the files as they are, those that are not there too", async () => {
  await using dir = await tempDir();
  const [here, later] = [join(dir.path, "here"), join(dir.path, "later")];
  writeFileSync(here, "1");

  const first = new FileMarks([here, later]);
  const before = first.areSame();
  writeFileSync(later, "");
  const after = first.areSame();
  const second = new FileMarks([here, later]);

  expect([before, after]).toEqual([true, false]);
  expect(second.areSame()).toBe(true);
});
