import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type IndexMarks, readIndexMarks } from "../../../src/system/git/index-file.ts";
import { GauntletProject } from "../../rig/gauntlet-project.ts";
import { tempDir } from "../../rig/temp-dir.ts";

const NONE: IndexMarks = { mayHide: false, mayHoldSubmodule: false, attributes: [] };
const UNKNOWN: IndexMarks = { mayHide: true, mayHoldSubmodule: true, attributes: "unknown" };

async function repository(): Promise<GauntletProject> {
  const long = `${"long/".repeat(40)}name.ts`; // more than fits beside the flags needs a search for its end
  const veryLong = `${`${"x".repeat(200)}/`.repeat(18)}${"y".repeat(200)}${"/z".repeat(200)}`;
  const repo = await GauntletProject.create({ "a.ts": "a\n", "src/b.ts": "b\n", [long]: "c\n" });
  await repo.commit("start");
  const blob = (await repo.git("rev-parse", "HEAD:a.ts")).trim();
  await repo.git("update-index", "--add", "--cacheinfo", `100644,${blob},${veryLong}`);
  return repo;
}

function marksOf(repo: GauntletProject): ReturnType<typeof readIndexMarks> {
  return readIndexMarks(join(repo.root, ".git/index"));
}

type Act = (repo: GauntletProject) => Promise<unknown>;

const SITUATIONS: Readonly<Record<string, readonly [Act, IndexMarks]>> = {
  "an ordinary index": [async () => {}, NONE],
  "an intended addition, which has extended flags": [
    async (repo) => {
      await repo.write({ "later.ts": "" });
      await repo.git("add", "--intent-to-add", "later.ts");
    },
    NONE,
  ],
  "a file assumed unchanged": [
    (repo) => repo.git("update-index", "--assume-unchanged", "src/b.ts"),
    { ...NONE, mayHide: true },
  ],
  "a file that is skipped": [
    (repo) => repo.git("update-index", "--skip-worktree", "src/b.ts"),
    { ...NONE, mayHide: true },
  ],
  "a submodule": [
    async (repo) => {
      const commit = (await repo.git("rev-parse", "HEAD")).trim();
      await repo.git("update-index", "--add", "--cacheinfo", `160000,${commit},module`);
    },
    { ...NONE, mayHoldSubmodule: true },
  ],
  "an index of version 4": [(repo) => repo.git("update-index", "--index-version", "4"), NONE],
  "an index of version 4 with a submodule": [
    async (repo) => {
      const commit = (await repo.git("rev-parse", "HEAD")).trim();
      await repo.git("update-index", "--index-version", "4");
      await repo.git("update-index", "--add", "--cacheinfo", `160000,${commit},module`);
    },
    { ...NONE, mayHoldSubmodule: true },
  ],
  "an index of version 4 with a file that is skipped": [
    async (repo) => {
      await repo.git("update-index", "--index-version", "4");
      await repo.git("update-index", "--skip-worktree", "src/b.ts");
    },
    { ...NONE, mayHide: true },
  ],
  "files with attributes, and others that end alike": [
    async (repo) => {
      await repo.write({ ".gitattributes": "", "src/.gitattributes": "", "src/x.gitattributes.ts": "" });
      await repo.git("add", "--all", ":!long");
    },
    { ...NONE, attributes: [".gitattributes", "src/.gitattributes"] },
  ],
  "files with attributes in an index of version 4, which stores one of them as a single letter": [
    async (repo) => {
      const blob = (await repo.git("rev-parse", "HEAD:a.ts")).trim();
      const names = ["src/.gitattribute", "src/.gitattributes", "z".repeat(5000), "z/.gitattributes"];
      for (const name of names)
        await repo.git("update-index", "--add", "--cacheinfo", `100644,${blob},${name}`);
      await repo.git("update-index", "--index-version", "4");
    },
    { ...NONE, attributes: ["src/.gitattributes", "z/.gitattributes"] },
  ],
  "a split index": [(repo) => repo.git("update-index", "--split-index"), UNKNOWN],
};

describe("The marks of an index", () => {
  test.each(Object.entries(SITUATIONS))("are found in %s", async (_name, [act, marks]) => {
    await using repo = await repository();
    await act(repo);
    expect(marksOf(repo)).toEqual(marks);
  });

  test("may all be there, but for a submodule, where the repository uses SHA-256", async () => {
    await using repo = await GauntletProject.create({ "a.ts": "a\n" });
    await repo.git("init", "--quiet", "--object-format=sha256", "other");
    const other = join(repo.root, "other");
    await writeFile(join(other, "b.ts"), "b\n");
    await repo.git("-C", "other", "add", "b.ts");
    expect(readIndexMarks(join(other, ".git/index"))).toEqual({ ...NONE, mayHide: true });
  });

  test.each(["2", "4"])(
    "are none without an index, and may be in any part of one of version %s",
    async (version) => {
      await using repo = await repository();
      await repo.git("update-index", "--index-version", version);
      const whole = await readFile(join(repo.root, ".git/index"));
      await using dir = await tempDir();
      const file = join(dir.path, "index");
      expect(readIndexMarks(file)).toEqual(NONE);
      for (let length = 0; length < whole.length; length += 7) {
        await writeFile(file, whole.subarray(0, length));
        expect(readIndexMarks(file).mayHide).toBe(true);
      }
    },
  );
});
