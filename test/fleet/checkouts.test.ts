import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Checkouts } from "../../src/fleet/workers/checkouts.ts";
import { cleanEnv } from "../rig/gauntlet-project.ts";
import { tempDir } from "../rig/temp-dir.ts";

/** A git store, and checkouts of what is in it. */
async function store() {
  const dir = await tempDir();
  const work = join(dir.path, "work");
  mkdirSync(work);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: work, env: cleanEnv(dir.path), encoding: "utf8" }).trim();
  git("init", "--quiet", "--bare", "../store.git");
  git("init", "--quiet");
  const directory = join(dir.path, "worker");
  mkdirSync(directory);
  return {
    checkouts: new Checkouts({ directory, source: join(dir.path, "store.git"), isFresh: false }),
    names: () => readdirSync(join(directory, "trees")),
    /** Pushes a file with this content, under the name of its tree or of another. */
    push: (content: string, name?: string): string => {
      writeFileSync(join(work, "file"), content);
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", content);
      const tree = git("rev-parse", "HEAD^{tree}");
      git("push", "--quiet", "--force", "../store.git", `HEAD:refs/gauntlet/${name ?? tree}`);
      return tree;
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const never = new AbortController().signal;

test("a checkout is used again by the same repository only, with what git ignores left in it", async () => {
  await using rig = await store();
  const [one, two] = [rig.push("1"), rig.push("2")];
  const pathOf = async (tree: string, repository: string): Promise<string> => {
    const taken = await rig.checkouts.take({ tree, repository }, never);
    if (!taken.ok) throw new Error(JSON.stringify(taken.trouble));
    using checkout = taken.value;
    expect(readFileSync(join(checkout.path, "file"), "utf8")).toBe(tree === one ? "1" : "2");
    expect(await checkout.isUntouched()).toBe(true);
    return checkout.path;
  };

  const first = await pathOf(one, "a");
  const again = await pathOf(two, "a");
  const other = await pathOf(two, "b");

  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

test("above their limit the coldest checkouts are removed, and made again when they are needed", async () => {
  await using rig = await store();
  const tree = rig.push("1");
  for (const repository of ["a", "b"]) {
    const taken = await rig.checkouts.take({ tree, repository }, never);
    if (taken.ok) taken.value[Symbol.dispose]();
  }
  using held = await heldBy(rig.checkouts, tree);

  await rig.checkouts.shrinkTo(0);

  expect(rig.names()).toEqual([held.path.split("/").at(-1)]);
  held[Symbol.dispose]();
  await rig.checkouts.shrinkTo(0);
  expect(rig.names()).toEqual([]);
  expect((await rig.checkouts.take({ tree, repository: "a" }, never)).ok).toBe(true);
});

test("a ref that holds another tree than its name says is refused", async () => {
  await using rig = await store();
  const wanted = rig.push("1");
  rig.push("2", wanted);

  const taken = await rig.checkouts.take({ tree: wanted, repository: "a" }, never);

  expect(taken).toMatchObject({
    ok: false,
    trouble: { detail: expect.stringContaining("it holds the tree") },
  });
});

async function heldBy(checkouts: Checkouts, tree: string) {
  const taken = await checkouts.take({ tree, repository: "b" }, never);
  if (!taken.ok) throw new Error(JSON.stringify(taken.trouble));
  return taken.value;
}
