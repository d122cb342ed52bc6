import { expect, test } from "vitest";
import { FileWatch } from "../../../src/system/files/watch-files.ts";
import { tempDir } from "../../rig/temp-dir.ts";

test("a look that is under way when the watch ends leaves nothing that keeps the process alive", async () => {
  await using dir = await tempDir();
  const before = process.getActiveResourcesInfo().filter((one) => one === "FSEventWrap").length;
  const watch = new FileWatch({ root: dir.path, without: "logs", onSettled: () => {} });

  const looking = watch.refresh();
  watch[Symbol.dispose]();
  await looking;

  expect(process.getActiveResourcesInfo().filter((one) => one === "FSEventWrap")).toHaveLength(before);
});
