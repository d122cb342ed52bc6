import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { absolutePath, projectPath } from "../../../../src/path.ts";
import type { ChangeQuery } from "../../../../src/system/git/compare/base.ts";
import { Git } from "../../../../src/system/git/git.ts";
import { compareHead, compareHeadQuickly } from "../../../../src/system/git/compare/head-comparison.ts";
import { Repository } from "../../../../src/system/git/repository.ts";
import { refState } from "../../../../src/system/git/compare/ref-state.ts";
import { GauntletProject } from "../../../rig/gauntlet-project.ts";

beforeEach(() => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 }); // the repository's files are old
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

async function repository(): Promise<GauntletProject> {
  const repo = await GauntletProject.create({ "a.ts": "a\n", "b.ts": "b\n" });
  await repo.commit("start");
  await repo.git("update-ref", "refs/remotes/origin/main", "HEAD");
  await repo.git("checkout", "--quiet", "-b", "work");
  await repo.write({ "a.ts": "changed\n" });
  await repo.commit("change");
  return repo;
}

function queryOf(repo: GauntletProject): ChangeQuery {
  return { root: absolutePath(repo.root), logDir: projectPath("logs"), baseBranch: "origin/main" };
}

async function compareQuickly(
  repo: GauntletProject,
  { query = queryOf(repo), signal }: { query?: ChangeQuery; signal?: AbortSignal } = {},
): ReturnType<typeof compareHead> {
  const repository = await Repository.around(new Git(query.root, signal));
  if (repository === undefined) throw new Error("not a repository");
  return compareHeadQuickly(repository, query, { HOME: repo.home });
}

function compareAnew(query: ChangeQuery): ReturnType<typeof compareHead> {
  return compareHead(new Git(query.root), query);
}

/** A git that does something else when it is asked for one thing. */
function writeGit(repo: GauntletProject, command: string, act: string): Promise<void> {
  const text = `#!/bin/sh
    PATH="\${PATH#*:}"
    case " $* " in *" ${command} "*) ${act};; esac
    exec git "$@"\n`;
  return writeFile(join(repo.home, "git"), text, { mode: 0o755 });
}

const ACTS: Readonly<Record<string, (repo: GauntletProject) => Promise<unknown>>> = {
  "a commit": async (repo) => {
    await repo.write({ "b.ts": "changed\n" });
    await repo.commit("more");
  },
  "another branch": (repo) => repo.git("checkout", "--quiet", "main"),
  "a detached HEAD": (repo) => repo.git("checkout", "--quiet", "--detach", "HEAD^"),
  "a fetch that moves the base": (repo) => repo.git("update-ref", "refs/remotes/origin/main", "HEAD"),
  "a base that is gone": (repo) => repo.git("update-ref", "-d", "refs/remotes/origin/main"),
  "a tag of the base's name": (repo) => repo.git("tag", "origin/main", "HEAD"),
  "packed refs with another base": async (repo) => {
    await repo.git("pack-refs", "--all");
    const packed = join(repo.root, ".git/packed-refs");
    const head = (await repo.git("rev-parse", "HEAD")).trim();
    const text = await readFile(packed, "utf8");
    await writeFile(packed, text.replace(/^\S+(?= refs\/remotes\/origin\/main$)/m, head));
  },
  "a remote's default branch in place of the base": async (repo) => {
    await repo.git("update-ref", "refs/remotes/upstream/trunk", "HEAD");
    await repo.git("symbolic-ref", "refs/remotes/upstream/HEAD", "refs/remotes/upstream/trunk");
    await repo.git("update-ref", "-d", "refs/remotes/origin/main");
  },
  "a replaced commit": async (repo) => {
    const other = (await repo.git("commit-tree", "HEAD^{tree}", "-m", "unrelated")).trim();
    await repo.git("replace", "HEAD", other);
  },
  nothing: async () => {},
};

describe("A remembered comparison", () => {
  test("needs no git", async () => {
    await using repo = await repository();
    const asked = await compareQuickly(repo);
    vi.stubEnv("PATH", "");

    expect(await compareQuickly(repo)).toEqual(asked);
    expect(asked).toMatchObject({ ok: true, value: { committed: [{ path: "a.ts", change: "modified" }] } });
  });

  test.each(Object.entries(ACTS))("is what git says after %s", async (_name, act) => {
    await using repo = await repository();
    await compareQuickly(repo);
    await act(repo);

    expect(await compareQuickly(repo)).toEqual(await compareAnew(queryOf(repo)));
  });

  test.each(["merge-base", "rev-parse", "for-each-ref", "diff"])(
    "is never one that was cut short: a stop cancelled during git %s leaves none",
    async (command) => {
      await using repo = await repository();
      if (command !== "diff") await repo.git("update-ref", "-d", "refs/remotes/origin/main");
      const cancelling = new AbortController();
      await writeGit(repo, command, `touch "${repo.home}/waiting"; exec sleep 60`);
      vi.stubEnv("PATH", `${repo.home}:${process.env["PATH"]}`);

      const asking = compareQuickly(repo, { signal: cancelling.signal });
      await vi.waitUntil(() => existsSync(join(repo.home, "waiting")), { timeout: 25_000 });
      cancelling.abort();

      expect(await asking).toMatchObject({ ok: false });
      expect(existsSync(join(repo.home, ".cache/agent-gauntlet/comparisons"))).toBe(false);
    },
  );

  test("is not kept when HEAD moved and moved back while git looked", async () => {
    await using repo = await repository();
    await writeGit(repo, "diff", `git update-ref HEAD main; git "$@"; git update-ref HEAD work@{1}; exit`);
    vi.stubEnv("PATH", `${repo.home}:${process.env["PATH"]}`);

    const mistaken = await compareQuickly(repo);
    vi.unstubAllEnvs();

    expect(mistaken).not.toEqual(await compareAnew(queryOf(repo)));
    expect(await compareQuickly(repo)).toEqual(await compareAnew(queryOf(repo)));
  });

  test.each([
    ["a base by its full name moves", "refs/heads/main", ["update-ref", "refs/heads/main", "HEAD"]],
    ["a ref of this work tree alone moves", "worktree/base", ["update-ref", "refs/worktree/base", "HEAD"]],
    ["HEAD is such a ref, and moves", "main", ["update-ref", "HEAD", "main"]],
  ])("is what git says in a linked work tree after %s", async (_name, baseBranch, act) => {
    await using repo = await repository();
    await repo.git("worktree", "add", "--quiet", "--detach", "../linked", "HEAD");
    const linked = repo.at("../linked");
    await linked.git("update-ref", "refs/worktree/base", "main");
    await linked.git("update-ref", "refs/worktree/head", "HEAD");
    if (baseBranch === "main") await linked.git("symbolic-ref", "HEAD", "refs/worktree/head");
    const query = { ...queryOf(linked), baseBranch };
    const remembered = await compareQuickly(repo, { query });
    await linked.git(...act);

    const now = await compareQuickly(repo, { query });
    expect(now).toEqual(await compareAnew(query));
    expect(now).not.toEqual(remembered);
  });

  test("is not kept where refs are in tables", async () => {
    await using repo = await repository();
    const gitDir = join(repo.root, ".git");
    const places = { top: repo.root, prefix: "", gitDir, commonDir: gitDir, index: "", objects: "" };
    const inFiles = refState(places, ["main"]);
    await writeFile(join(gitDir, "HEAD"), "ref: refs/heads/.invalid\n");

    expect([inFiles !== undefined, refState(places, ["main"])]).toEqual([true, undefined]);
  });

  test("is not kept for a base that is an expression", async () => {
    await using repo = await repository();
    const query = { ...queryOf(repo), baseBranch: "HEAD~1" };
    await compareQuickly(repo, { query });
    vi.stubEnv("PATH", "");

    expect(await compareQuickly(repo, { query })).toMatchObject({ ok: false });
  });

  test.each(["not json", "{}", '{"key":1}', "null"])(
    "is asked for again when its file is %s",
    async (text) => {
      await using repo = await repository();
      const asked = await compareQuickly(repo);
      const file = join(
        repo.home,
        ".cache/agent-gauntlet/comparisons",
        `${encodeURIComponent(repo.root)}.json`,
      );
      await writeFile(file, text);

      expect(await compareQuickly(repo)).toEqual(asked);
      await rm(file);
      expect(await compareQuickly(repo)).toEqual(asked);
    },
  );
});
