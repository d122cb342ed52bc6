import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { Checkouts } from "../../../../src/features/remote/workers/checkouts.ts";
import { cleanEnv } from "../../../rig/gauntlet-project.ts";
import { tempDir } from "../../../rig/temp-dir.ts";

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
    /** Undefined removes a file, and its directory where it was the last. */
    write: (files: Readonly<Record<string, string | undefined>>): void => {
      for (const [name, text] of Object.entries(files)) {
        if (text === undefined) {
          git("rm", "--quiet", "--force", name);
          continue;
        }
        rmSync(join(work, name), { recursive: true, force: true });
        mkdirSync(dirname(join(work, name)), { recursive: true });
        writeFileSync(join(work, name), text);
      }
    },
    names: () => readdirSync(join(directory, "trees")),
    /** Asks git about what was fetched. */
    fetched: (...args: readonly string[]): string => git("--git-dir", "../worker/objects.git", ...args),
    /** Pushes a file with this content, under the name of its tree or of another. */
    push: (content: string, name?: string, ...add: readonly string[]): string => {
      writeFileSync(join(work, "file"), content);
      git("add", "--all", ...add);
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

function rewrite(path: string): void {
  const file = join(path, "file");
  const { atime, mtime } = lstatSync(file);
  writeFileSync(file, "2");
  utimesSync(file, atime, mtime);
}

/** What gates may do to a checkout, to files that git tracks and elsewhere. */
const TOUCHES: Readonly<Record<string, (path: string) => void>> = {
  "a file is written to, with its size and its time as before": rewrite,
  "a file is removed": (path) => rmSync(join(path, "file")),
  "a file is made executable": (path) => chmodSync(join(path, "file"), 0o755),
  "a file is replaced by a link": (path) => {
    renameSync(join(path, "file"), join(path, "dist/file"));
    symlinkSync("dist/file", join(path, "file"));
  },
  "a file is new": (path) => writeFileSync(join(path, "new"), ""),
  "a file is new below": (path) => writeFileSync(join(path, "below/new"), ""),
  "a file is new where all others are ignored": (path) => writeFileSync(join(path, "logs/deep/new"), ""),
  "another commit is checked out": (path) => writeFileSync(join(path, ".git/HEAD"), "ref: refs/heads/x\n"),
};

const TOUCHED = Object.entries(TOUCHES).flatMap(([what, touch]) =>
  (["the same tree", "another tree"] as const).map((next) => [what, next, touch] as const),
);

test.concurrent.for(TOUCHED)(
  "when %s, %s is checked out as it is, also when git has looked before",
  async ([, next, touch]) => {
    await using rig = await store();
    rig.write({ ".gitignore": "dist/\n*.log\n", "below/file": "1" });
    const tree = rig.push("1");
    rig.write({ "below/file": "2" });
    const last = next === "the same tree" ? tree : rig.push("1");
    await take(rig, tree, (path) => {
      for (const directory of ["dist", "logs/deep"]) mkdirSync(join(path, directory), { recursive: true });
      writeFileSync(join(path, "logs/deep/a.log"), "");
    });
    for (let time = 0; time < 2; time += 1) {
      await setTimeout(60); // until the file system's clock has ticked, git is asked each time
      await take(rig, tree, () => {});
    }

    await take(rig, tree, touch);

    await take(rig, last, (path) => {
      expect(readFileSync(join(path, "file"), "utf8")).toBe("1");
      expect(readFileSync(join(path, "below/file"), "utf8")).toBe(last === tree ? "1" : "2");
      expect(lstatSync(join(path, "file")).mode & 0o777).toBe(0o644);
      expect(readdirSync(path, { recursive: true }).filter((name) => String(name).endsWith("new"))).toEqual(
        [],
      );
      expect(execFileSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: path, encoding: "utf8" }).trim()).toBe(
        last,
      );
      expect(readdirSync(path)).toContain("dist");
    });
  },
);

test("a change in the second of the checkout is seen in the next, though git compares whole seconds", async () => {
  await using rig = await store();
  const tree = rig.push("1");
  await nextSecond();
  await take(rig, tree, rewrite);
  await nextSecond();

  await take(rig, tree, (path) => {
    expect(readFileSync(join(path, "file"), "utf8")).toBe("1");
  });
});

function nextSecond(): Promise<void> {
  return setTimeout(1_000 - (Date.now() % 1_000));
}

/** Ways from one tree to another, from a checkout that is certain to hold the first. */
const WAYS: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  "files are changed and added": { "below/file": "2", "*": "new", "deep/er/file": "new" },
  "files are removed": { "below/file": undefined },
  "a file is where a directory was": { "below/file": undefined, below: "2" },
  "files that were ignored are not any more": { ".gitignore": "" },
  "files that were ignored there are not any more": { "below/.gitignore": undefined },
  "a file that was ignored is one of the tree": { "dist/file": "2" },
};

test.concurrent.for(Object.entries(WAYS))(
  "when %s, a checkout that nothing has touched follows",
  async ([, changes]) => {
    await using rig = await store();
    rig.write({ ".gitignore": "dist/\n", "below/.gitignore": "*.log\n", "below/file": "1" });
    const tree = rig.push("1");
    await take(rig, tree, (path) => {
      mkdirSync(join(path, "dist"));
      for (const name of ["dist/file", "below/a.log"]) writeFileSync(join(path, name), "ignored");
    });
    await setTimeout(60);
    await take(rig, tree, () => {});
    await take(rig, tree, () => {}); // now it is marked, and found to be as it was

    rig.write(changes);
    const last = rig.push("1", undefined, "--force");

    await take(rig, last, (path) => {
      const git = (...args: readonly string[]): string =>
        execFileSync("git", args, { cwd: path, encoding: "utf8" }).trim();
      git("add", "--all");
      expect(git("write-tree")).toBe(last);
    });
  },
);

/** What a job does in its checkout. */
async function take(
  { checkouts }: { readonly checkouts: Checkouts },
  tree: string,
  act: (path: string) => void,
): Promise<void> {
  const taken = await checkouts.take({ tree, repository: "a" }, never);
  if (!taken.ok) throw new Error(JSON.stringify(taken.trouble));
  using checkout = taken.value;
  act(checkout.path);
}

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

test("trees that no checkout holds are forgotten with their files, and fetched again when they are needed", async () => {
  await using rig = await store();
  const trees = Array.from({ length: 11 }, (_, at) => rig.push(`${at}`));
  const [oldest = "", newest = ""] = [trees[0], trees.at(-1)];
  for (const tree of trees) {
    const taken = await rig.checkouts.take({ tree, repository: "a" }, never);
    if (taken.ok) taken.value[Symbol.dispose]();
  }
  using held = await heldBy(rig.checkouts, newest);
  expect(rig.fetched("cat-file", "-t", oldest)).toBe("tree");

  await rig.checkouts.shrinkTo(0);

  expect(() => rig.fetched("cat-file", "-e", oldest)).toThrow();
  expect(rig.fetched("for-each-ref")).toContain(newest);
  expect(await held.isUntouched()).toBe(true);
  expect((await rig.checkouts.take({ tree: oldest, repository: "a" }, never)).ok).toBe(true);
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
