import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { appendFile, chmod, mkdir, rename, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { openTree } from "../../rig/work-tree.ts";
import { GauntletProject } from "../../rig/gauntlet-project.ts";
import { tempDir } from "../../rig/temp-dir.ts";

beforeAll(() => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
  return () => void vi.unstubAllEnvs(); // other files run in this process
});

const FILES = { "src/a.ts": "aaaa\n", "src/b.ts": "b\n", "run.sh": "true\n", ".gitignore": "dist/\n" };

async function repository(): Promise<GauntletProject> {
  const repo = await GauntletProject.create(FILES);
  await symlink("src/a.ts", join(repo.root, "link"));
  await repo.commit("start");
  return repo;
}

async function fingerprintWorkTree(root: string) {
  await using tree = await openTree(root);
  return await (await tree.snapshot()).fingerprint();
}

async function fingerprintOf(repo: GauntletProject): Promise<string> {
  const fingerprint = await fingerprintWorkTree(repo.root);
  return fingerprint.kind === "tree" ? fingerprint.hash : `none: ${fingerprint.reason}`;
}

type Act = (repo: GauntletProject) => Promise<unknown>;

const CHANGES: Readonly<Record<string, Act>> = {
  "an edit": (repo) => repo.write({ "src/a.ts": "other\n" }),
  "an edit of the same size in the second of the last git add, seen later": async (repo) => {
    const aWhileAgo = new Date(Date.now() - 60_000);
    const [file, index] = [join(repo.root, "src/a.ts"), join(repo.root, ".git/index")];
    await repo.git("config", "core.trustctime", "false");
    await utimes(file, aWhileAgo, aWhileAgo);
    await repo.git("add", "src/a.ts");
    await utimes(index, aWhileAgo, aWhileAgo);
    await repo.write({ "src/a.ts": "AAAA\n" });
    await utimes(file, aWhileAgo, aWhileAgo);
  },
  "a new file": (repo) => repo.write({ "new.ts": "" }),
  "a new file in a new directory": (repo) => repo.write({ "deep/new.ts": "" }),
  "a deletion": (repo) => rm(join(repo.root, "src/b.ts")),
  "a rename": (repo) => rename(join(repo.root, "src/b.ts"), join(repo.root, "src/c.ts")),
  "a mode": (repo) => chmod(join(repo.root, "run.sh"), 0o755),
  "the target of a link": async (repo) => {
    await rm(join(repo.root, "link"));
    await symlink("src/b.ts", join(repo.root, "link"));
  },
  "a file in place of a link": async (repo) => {
    await rm(join(repo.root, "link"));
    await repo.write({ link: "src/a.ts" });
  },
  "a file that is no longer ignored": async (repo) => {
    await repo.write({ "dist/out": "1" });
    await appendFile(join(repo.root, ".gitignore"), "!dist/\n");
  },
};

describe.concurrent("the fingerprint of a work tree changes with", () => {
  test.for(Object.entries(CHANGES))("%s", async ([, change]) => {
    await using repo = await repository();
    const before = await fingerprintOf(repo);

    await change(repo);

    expect(await fingerprintOf(repo)).not.toBe(before);
  });

  test("every edit of a file that is not staged", async () => {
    await using repo = await repository();

    const seen = [await fingerprintOf(repo)];
    for (const content of ["1", "2", "3"]) {
      await repo.write({ "src/a.ts": content, untracked: content });
      seen.push(await fingerprintOf(repo));
    }

    expect(new Set(seen).size).toBe(4);
  });

  test("an edit right after git add", async () => {
    await using repo = await repository();
    await repo.write({ "src/a.ts": "1111\n" });
    await repo.git("add", "--all");
    const before = await fingerprintOf(repo);

    await repo.write({ "src/a.ts": "2222\n" });

    expect(await fingerprintOf(repo)).not.toBe(before);
  });
});

const NO_CHANGES: Readonly<Record<string, Act>> = {
  "nothing at all": async () => {},
  "git add": (repo) => repo.git("add", "--all"),
  "git commit": (repo) => repo.commit("all"),
  "git stash and back": async (repo) => {
    await repo.git("stash", "--include-untracked", "--quiet");
    await repo.git("stash", "pop", "--quiet");
  },
  "another branch": (repo) => repo.git("switch", "--quiet", "--create", "other"),
  touch: (repo) => utimes(join(repo.root, "src/b.ts"), new Date(), new Date(Date.now() + 5000)),
  "an ignored file": (repo) => repo.write({ "dist/out.js": "1" }),
  "an edit taken back": async (repo) => {
    await repo.write({ "src/b.ts": "x" });
    await repo.write({ "src/b.ts": FILES["src/b.ts"] });
  },
  "an empty directory": (repo) => mkdir(join(repo.root, "empty")),
};

describe.concurrent("the fingerprint of a work tree stays the same with", () => {
  test.for(Object.entries(NO_CHANGES))("%s", async ([, act]) => {
    await using repo = await repository();
    await repo.write({ "src/a.ts": "edited\n", untracked: "1" });
    const before = await fingerprintOf(repo);

    await act(repo);

    expect(await fingerprintOf(repo)).toBe(before);
  });

  test("git's own tree of the same files", async () => {
    await using repo = await repository();
    await repo.write({ "src/a.ts": "edited\n", untracked: "1" });
    const fingerprint = await fingerprintOf(repo);
    await repo.commit("all");

    expect(fingerprint).toBe((await repo.git("rev-parse", "HEAD^{tree}")).trim());
  });

  test("the directory of the repository it is asked in", async () => {
    await using repo = await repository();

    expect(await fingerprintOf(repo.at("src"))).toBe(await fingerprintOf(repo));
  });
});

describe.concurrent("a fingerprint leaves no trace in the repository", () => {
  const STATES: Readonly<Record<string, Act>> = {
    clean: async () => {},
    dirty: async (repo) => {
      await repo.write({ "src/a.ts": "staged\n", staged: "1" });
      await repo.git("add", "--all");
      await repo.write({ "src/a.ts": "unstaged\n", untracked: "1", "deep/er/file": "1" });
      await rm(join(repo.root, "src/b.ts"));
    },
    "without a commit": (repo) => repo.git("update-ref", "-d", "HEAD"),
    "in the middle of a merge": async (repo) => {
      await repo.git("switch", "--quiet", "--create", "side");
      await repo.write({ "src/a.ts": "theirs\n" });
      await repo.commit("side");
      await repo.git("switch", "--quiet", "main");
      await repo.write({ "src/a.ts": "ours\n" });
      await repo.commit("ours");
      await expect(repo.git("merge", "side")).rejects.toThrow();
    },
    "with an untracked cache": (repo) => repo.git("update-index", "--untracked-cache"),
    "with a hook": async (repo) => {
      await repo.write({ ".git/hooks/post-index-change": "#!/bin/sh\ntouch .git/sprung\n" });
      await chmod(join(repo.root, ".git/hooks/post-index-change"), 0o755);
      await repo.write({ untracked: "1" });
    },
    "while somebody else holds the index": (repo) => repo.write({ ".git/index.lock": "", untracked: "1" }),
  };

  test.for(Object.entries(STATES))(
    "%s: every byte is as before, and every time but those of objects",
    async ([, arrange]) => {
      await using repo = await repository();
      await arrange(repo);
      const before = everythingIn(join(repo.root, ".git"));

      expect(await fingerprintOf(repo)).toMatch(/^[0-9a-f]{40}$/);

      expect(everythingIn(join(repo.root, ".git"))).toEqual(before);
    },
  );

  test("with a split index: every byte is as before", async () => {
    await using repo = await repository();
    await repo.git("config", "core.splitIndex", "true");
    await repo.git("update-index", "--split-index");
    await repo.write({ "src/a.ts": "edited\n" });
    const before = everythingIn(join(repo.root, ".git"), /^(?:objects|sharedindex)/);
    const fingerprint = await fingerprintOf(repo);

    expect(everythingIn(join(repo.root, ".git"), /^(?:objects|sharedindex)/)).toEqual(before);
    await repo.commit("all");
    expect(fingerprint).toBe((await repo.git("rev-parse", "HEAD^{tree}")).trim());
  });

  test("and none in the temporary directory", async () => {
    await using repo = await repository();
    await using scratch = await tempDir();

    const done = await repo.gauntlet(["run"], { env: { TMPDIR: scratch.path } });

    expect(done.exitCode).toBe(1);
    expect(readdirSync(scratch.path)).toEqual([]);
  });
});

describe.concurrent("repositories of every shape have one", () => {
  test("a linked worktree has its own", async () => {
    await using repo = await repository();
    await repo.git("worktree", "add", "--quiet", "-b", "side", `${repo.home}/side`);
    const side = repo.at(`${repo.home}/side`);

    expect(await fingerprintOf(side)).toBe(await fingerprintOf(repo));
    await side.write({ "src/a.ts": "side\n" });
    expect(await fingerprintOf(side)).not.toBe(await fingerprintOf(repo));
  });

  test("a sparse checkout has that of the whole tree", async () => {
    await using repo = await repository();
    const whole = await fingerprintOf(repo);
    await repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs");

    expect(repo.has("src/a.ts")).toBe(false);
    expect(await fingerprintOf(repo)).toBe(whole);
  });

  test("a clone that borrows its objects", async () => {
    await using repo = await repository();
    await repo.git("clone", "--quiet", "--shared", repo.root, `${repo.home}/clone`);

    expect(await fingerprintOf(repo.at(`${repo.home}/clone`))).toBe(await fingerprintOf(repo));
  });

  test("a repository with long hashes", async () => {
    await using repo = await GauntletProject.create({}, { git: false });
    await repo.git("init", "--quiet", "--object-format=sha256");
    await repo.write({ a: "1" });

    expect(await fingerprintOf(repo)).toMatch(/^[0-9a-f]{64}$/);
  });

  test("a clean submodule counts by its commit", async () => {
    await using repo = await withSubmodule();
    const before = await fingerprintOf(repo);
    await repo.at("sub").git("commit", "--quiet", "--allow-empty", "-m", "on");

    const after = await fingerprintOf(repo);

    expect([before, after]).toEqual([
      expect.stringMatching(/^[0-9a-f]{40}$/),
      expect.stringMatching(/^[0-9a-f]{40}$/),
    ]);
    expect(after).not.toBe(before);
  });

  test("a path with spaces, quotes and colons", async () => {
    await using repo = await GauntletProject.create({}, { git: false });
    const odd = repo.at(`a "b": c'ü`);
    await mkdir(odd.root);
    await odd.git("init", "--quiet");
    await odd.write({ "-a": "1", "n\nl": "1" });
    await odd.commit("start");
    await odd.write({ "-a": "2" });

    expect(await fingerprintOf(odd)).toMatch(/^[0-9a-f]{40}$/);
  });

  test.for(["true", "warn"])("core.safecrlf=%s and mixed line endings", async (safecrlf) => {
    await using repo = await repository();
    await repo.git("config", "core.autocrlf", "input");
    await repo.git("config", "core.safecrlf", safecrlf);
    await repo.write({ mixed: "a\r\nb\n" });

    expect(await fingerprintOf(repo)).toMatch(/^[0-9a-f]{40}$/);
  });
});

describe.concurrent("there is no fingerprint", () => {
  test("outside git", async () => {
    await using plain = await tempDir();

    expect(await fingerprintWorkTree(plain.path)).toEqual({ kind: "none", reason: "not in a git work tree" });
  });

  test("in a bare repository", async () => {
    await using repo = await repository();
    await repo.git("clone", "--quiet", "--bare", repo.root, `${repo.home}/bare`);

    expect(await fingerprintOf(repo.at(`${repo.home}/bare`))).toBe("none: not in a git work tree");
  });

  test.for([
    ["an edited file", (sub: GauntletProject) => sub.write({ inside: "2" })],
    ["an untracked file", (sub: GauntletProject) => sub.write({ another: "1" })],
  ] as const)("with %s in a submodule, whatever the user ignores", async ([, dirty]) => {
    await using repo = await withSubmodule();
    await repo.git("config", "submodule.sub.ignore", "all");
    await dirty(repo.at("sub"));

    expect(await fingerprintOf(repo)).toBe("none: a submodule is dirty");
  });

  test("with a repository inside the repository", async () => {
    await using repo = await repository();
    await repo.git("init", "--quiet", "inner");
    expect(await fingerprintOf(repo)).toBe("none: git cannot read every file");

    await repo.at("inner").write({ file: "1" });
    await repo.at("inner").commit("start");
    await repo.git("config", "advice.addEmbeddedRepo", "false");
    expect(await fingerprintOf(repo)).toBe("none: a repository inside the repository");
  });

  test("with more than 100 MB of untracked files", async () => {
    await using repo = await repository();
    await writeFile(join(repo.root, "big"), "");
    await truncate(join(repo.root, "big"), 101 * 1024 * 1024);

    expect(await fingerprintOf(repo)).toBe("none: more than 100 MB of untracked files");
  });

  test("but there is one with more than 100 MB of ignored files", async () => {
    await using repo = await repository();
    await repo.write({ "dist/big": "" });
    await truncate(join(repo.root, "dist/big"), 101 * 1024 * 1024);

    expect(await fingerprintOf(repo)).toMatch(/^[0-9a-f]{40}$/);
  });

  test("when git cannot take in a file", async () => {
    await using repo = await repository();
    await repo.git("config", "filter.broken.clean", "false");
    await repo.git("config", "filter.broken.required", "true");
    await repo.write({ ".gitattributes": "*.bin filter=broken\n", "a.bin": "1" });

    expect(await fingerprintOf(repo)).toBe("none: git cannot read every file");
  });

  test.skipIf(process.getuid?.() === 0)("when a file may not be read", async () => {
    await using repo = await repository();
    await repo.write({ secret: "1" });
    await chmod(join(repo.root, "secret"), 0);

    expect(await fingerprintOf(repo)).toBe("none: git cannot read every file");
  });
});

async function withSubmodule(): Promise<GauntletProject> {
  const repo = await repository();
  const library = repo.at(`${repo.home}/library`);
  await mkdir(library.root);
  await library.git("init", "--quiet");
  await library.write({ inside: "1" });
  await library.commit("start");
  await repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.root, "sub");
  await repo.commit("submodule");
  return repo;
}

/** Every file and directory with its content and its time; git marks an object it meets again as recently used. */
function everythingIn(dir: string, withoutTime = /^objects/): Readonly<Record<string, string>> {
  const names = readdirSync(dir, { recursive: true }).map(String);
  return Object.fromEntries(
    [".", ...names].map((name) => {
      const path = join(dir, name);
      const { mtimeNs, mode } = lstatSync(path, { bigint: true });
      return [name, `${mode} ${withoutTime.test(name) ? "" : mtimeNs} ${contentOf(path)}`];
    }),
  );
}

function contentOf(path: string): string {
  const stat = lstatSync(path);
  if (stat.isDirectory()) return "directory";
  if (stat.isSymbolicLink()) return readlinkSync(path);
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
