import { writeFileSync } from "node:fs";
import { chmod, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { treeIdIn } from "../../../src/system/git/tree-id.ts";
import { GauntletProject } from "../../rig/gauntlet-project.ts";

function idOf(repo: GauntletProject): string | undefined {
  return treeIdIn(join(repo.root, ".git/index"));
}

async function staged(files: Readonly<Record<string, string>>): Promise<GauntletProject> {
  const repo = await GauntletProject.create(files);
  await repo.git("add", "--all", "--force");
  return repo;
}

describe("the id of an index's tree", () => {
  test.each(["2", "4"])("is the one that git writes, whatever is in it, in version %s", async (version) => {
    const neighbours = {
      "a/b": "1\n",
      "a-b": "2\n",
      "a.b": "3\n",
      a0: "4\n",
      "a/b-c/d": "5\n",
      "A/b": "6\n",
    };
    await using repo = await staged({
      ...neighbours,
      "run.sh": "true\n",
      "ü/ñ ö.ts": "",
      [`${"d/".repeat(300)}e`]: "",
    });
    await chmod(join(repo.root, "run.sh"), 0o755);
    await symlink("a/b", join(repo.root, "link"));
    writeFileSync(Buffer.concat([Buffer.from(`${repo.root}/no-text-`), Buffer.from([0xff, 0xfe])]), "x");
    await repo.git("add", "--all", "--force");
    const blob = (await repo.git("rev-parse", ":a/b")).trim();
    await repo.git("update-index", "--add", "--cacheinfo", `160000,${blob},module`);
    await repo.git("update-index", "--skip-worktree", "a-b");
    await repo.git("update-index", "--index-version", version);

    expect(idOf(repo)).toBe((await repo.git("write-tree")).trim());
  });

  test("is that of the empty tree for an index without files", async () => {
    await using repo = await staged({ "a.ts": "" });
    await repo.git("rm", "--quiet", "-r", "--cached", ".");

    expect(idOf(repo)).toBe("4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  });

  test("follows a file's content, name and mode", async () => {
    await using repo = await staged({ "a.ts": "1\n" });
    const ids = [idOf(repo)];
    await repo.write({ "a.ts": "2\n" });
    await repo.git("add", "--all");
    ids.push(idOf(repo));
    await repo.git("update-index", "--chmod=+x", "a.ts");
    ids.push(idOf(repo));
    await repo.git("mv", "a.ts", "b.ts");
    ids.push(idOf(repo));

    expect(new Set(ids).size).toBe(4);
  });

  test("is left to git where only git can tell", async () => {
    await using meant = await staged({ "a.ts": "" });
    await meant.write({ "later.ts": "x" });
    await meant.git("add", "--intent-to-add", "later.ts");
    await using split = await staged({ "a.ts": "" });
    await split.git("update-index", "--split-index");
    await using large = await staged(
      Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`${n}`, ""])),
    );
    await using inConflict = await staged({ "a.ts": "1\n" });
    await inConflict.commit("start");
    await inConflict.git("checkout", "--quiet", "-b", "side");
    await inConflict.write({ "a.ts": "2\n" });
    await inConflict.commit("there");
    await inConflict.git("checkout", "--quiet", "main");
    await inConflict.write({ "a.ts": "3\n" });
    await inConflict.commit("here");
    await expect(inConflict.git("merge", "side")).rejects.toThrow();

    expect([meant, split, large, inConflict].map(idOf)).toEqual(Array(4));
    expect(treeIdIn(join(meant.root, "missing"))).toBeUndefined();
  });
});
