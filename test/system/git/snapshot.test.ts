import { chmod, rm, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { GauntletProject } from "../../rig/gauntlet-project.ts";
import { openTree } from "../../rig/work-tree.ts";

beforeAll(() => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
  return () => void vi.unstubAllEnvs(); // other files run in this process
});

type Act = (repo: GauntletProject) => Promise<unknown>;

/** Few files with long names: the index is as large as one of thousands of files, and made much faster. */
const MANY = Object.fromEntries(
  Array.from({ length: 300 }, (_, index) => [`${`${"n".repeat(200)}/`.repeat(10)}${index}`, ""]),
);

/** An index is looked at in another way when it is large. */
const SIZES: Readonly<Record<string, Readonly<Record<string, string>>>> = { small: {}, large: MANY };

const CHANGES: Readonly<Record<string, Act>> = {
  "an edit of the same size": (repo) => repo.write({ "src/a.ts": "bbbb\n" }),
  "a new file": (repo) => repo.write({ "new.ts": "" }),
  "a deletion": (repo) => rm(join(repo.root, "src/a.ts")),
  "a mode": (repo) => chmod(join(repo.root, "src/a.ts"), 0o755),
  "another target of a link": async (repo) => {
    await rm(join(repo.root, "link"));
    await symlink("elsewhere", join(repo.root, "link"));
  },
  "an edit of a file that was untracked": (repo) => repo.write({ untracked: "2" }),
  "another repository inside": (repo) =>
    repo.git("init", "--quiet", "inner").then(() => repo.write({ "inner/f": "" })),
};

const HARMLESS: Readonly<Record<string, Act>> = {
  nothing: async () => {},
  "a new time": (repo) => utimes(join(repo.root, "src/a.ts"), 1, 1),
  "an ignored file": (repo) => repo.write({ "ignored/x": "1" }),
  "staging and committing": (repo) => repo.commit("all"),
};

describe.for(Object.entries(SIZES))("with a %s index", ([, more]) => {
  test.for(Object.entries(CHANGES))("%s is a change since the snapshot", async ([, act]) => {
    expect(await isSameAfter(more, act)).toEqual([false, false]);
  });

  test.for(Object.entries(HARMLESS))("%s is no change", async ([, act]) => {
    expect(await isSameAfter(more, act)).toEqual([true, true]);
  });
});

test("the index of a tree with a submodule is not kept: it does not tell the submodule's files", async () => {
  await using library = await GauntletProject.create({ "lib.ts": "1\n" });
  await library.commit("start");
  await using repo = await GauntletProject.create({ "a.ts": "1\n" });
  await repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.root, "sub");
  await repo.commit("submodule");
  await using tree = await openTree(repo.root);
  const snapshot = await tree.snapshot();
  const kept = join(repo.home, "index");

  const hash = snapshot.keepIndex(kept);

  expect(await snapshot.fingerprint()).toMatchObject({ kind: "tree" });
  expect(hash).toBeUndefined();
});

test("names what was written since, with the same content too, what is gone, and nothing else", async () => {
  await using repo = await GauntletProject.create({ "a.ts": "a", "b.ts": "b", "c.ts": "c", empty: "" });
  await symlink("a.ts", join(repo.root, "link"));
  await repo.commit("start");
  await using tree = await openTree(repo.root);
  const { movement } = await tree.snapshot();
  const before = await movement();

  await repo.write({ "a.ts": "a" });
  await rm(join(repo.root, "b.ts"));
  await rm(join(repo.root, "link"));
  await symlink("c.ts", join(repo.root, "link"));

  expect(before).toEqual({ isCurrent: true, touched: [] });
  expect((await movement()).touched.map(({ path, isChanged }) => [path, isChanged])).toEqual([
    ["a.ts", false],
    ["b.ts", true],
    ["link", true],
  ]);
});

/** What the snapshot says while it is there, and what its kept index says afterwards. */
async function isSameAfter(more: Readonly<Record<string, string>>, act: Act): Promise<readonly boolean[]> {
  await using repo = await GauntletProject.create({
    "src/a.ts": "aaaa\n",
    ".gitignore": "ignored\n",
    ...more,
  });
  await symlink("src/a.ts", join(repo.root, "link"));
  await repo.commit("start");
  await repo.write({ untracked: "1" });
  await using tree = await openTree(repo.root);
  const snapshot = await tree.snapshot();
  const kept = join(repo.home, "index");
  const hash = snapshot.keepIndex(kept) ?? "";

  await act(repo);

  return [
    (await snapshot.movement()).isCurrent,
    await tree.isUnchangedSince({ path: kept, hash, ignoreFiles: [] }),
  ];
}
