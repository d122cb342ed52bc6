import { expect, test } from "vitest";
import { forgetProject } from "../../../src/cli/commands/forget-project.ts";
import { readFound, writeFound } from "../../../src/features/baseline/store.ts";
import { tempDir } from "../../rig/temp-dir.ts";

const FOUND = { problems: [], isAllRead: true, unread: ["a"] };

test("forgetting a project removes what its checks found in earlier trees, and nothing of another project", async () => {
  await using home = await tempDir();
  const env = { HOME: home.path };
  const ours = `${home.path}/one`;
  const theirs = `${home.path}/two`;
  writeFound(ours, env, "k", FOUND);
  writeFound(theirs, env, "k", FOUND);

  forgetProject(ours, env);

  expect(readFound(ours, env, "k")).toBeUndefined();
  expect(readFound(theirs, env, "k")).toEqual(FOUND);
});
