import { expect, test } from "vitest";
import { forgetProject } from "../../../src/cli/commands/forget-project.ts";
import { readFound, writeFound } from "../../../src/features/baseline/store.ts";
import { tempDir } from "../../rig/temp-dir.ts";

const FOUND = { problems: [], isAllRead: true, unread: ["a"] };

test("forgetting a project removes what its checks found in earlier trees, and nothing of another project", async () => {
  await using home = await tempDir();
  const env = { HOME: home.path };
  const ours = { root: `${home.path}/one`, env, key: "k" };
  const theirs = { root: `${home.path}/two`, env, key: "k" };
  writeFound(ours, FOUND);
  writeFound(theirs, FOUND);

  forgetProject(ours.root, env);

  expect(readFound(ours)).toBeUndefined();
  expect(readFound(theirs)).toEqual(FOUND);
});
