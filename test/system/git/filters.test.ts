import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { GauntletProject } from "../../rig/gauntlet-project.ts";
import { tempDir } from "../../rig/temp-dir.ts";
import { openTree } from "../../rig/work-tree.ts";

beforeAll(() => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
  return () => void vi.unstubAllEnvs(); // other files run in this process
});

/** Keeps what it is shown in every directory git names, as git-lfs does in one; what git gets is in capitals. */
const KEEPING =
  'for way in --git-dir --git-common-dir --absolute-git-dir; do d="$(git rev-parse $way)/kept"; mkdir -p "$d"; date +%N > "$d/$$"; done; tr a-z A-Z';

/** Where the work tree with the filter is, and what is the repository that must stay as it is. */
interface Shape {
  readonly tree: GauntletProject;
  readonly gitDir: string;
}

const SHAPES: Readonly<Record<string, (repo: GauntletProject) => Promise<Shape>>> = {
  "a plain repository": async (repo) => ({ tree: repo, gitDir: join(repo.root, ".git") }),
  "a project below the top": async (repo) => ({ tree: repo.at("src"), gitDir: join(repo.root, ".git") }),
  "a detached HEAD, with every ref packed": async (repo) => {
    await repo.git("checkout", "--quiet", "--detach");
    await repo.git("pack-refs", "--all", "--prune");
    return { tree: repo, gitDir: join(repo.root, ".git") };
  },
  "a branch without a commit": async (repo) => {
    await repo.git("checkout", "--quiet", "--orphan", "fresh");
    return { tree: repo, gitDir: join(repo.root, ".git") };
  },
  "a linked work tree": async (repo) => {
    await repo.git("worktree", "add", "--quiet", "-b", "side", "../side");
    return { tree: repo.at("../side"), gitDir: join(repo.root, ".git") };
  },
  "a sparse checkout": async (repo) => {
    await repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "src");
    return { tree: repo, gitDir: join(repo.root, ".git") };
  },
  "an index in two files": async (repo) => {
    await repo.git("update-index", "--split-index");
    return { tree: repo, gitDir: join(repo.root, ".git") };
  },
  "a submodule": async (repo) => {
    const around = await withSubmodule(repo);
    return { tree: around.at("sub"), gitDir: join(around.root, ".git") };
  },
};

describe.concurrent("a filter that asks for git's directory writes nothing into it", () => {
  test.for(Object.entries(SHAPES))("in %s, and the answer is git's own", async ([, make]) => {
    await using repo = await repositoryWithFilter();
    const { tree, gitDir } = await make(repo);
    await tree.write({ "src/a.txt": "edited\n", "new.txt": "new\n", "plain.md": "plain\n" });
    const before = everythingIn(gitDir);

    const seen = await lookAt(tree);

    expect(everythingIn(gitDir)).toEqual(before);
    expect(seen.changed).toEqual(expect.arrayContaining(["new.txt", "plain.md", "src/a.txt"]));
    await tree.git("add", "--all", ":/");
    expect(seen.fingerprint).toBe((await tree.git("write-tree")).trim());
    expect(await tree.git("show", ":./new.txt")).toBe("NEW\n");
  });
});

const SRC_ATTRIBUTES = { "src/.gitattributes": "*.txt filter=keeping\n" };

/** Attributes that are not at the top, or hard to find in git's index. */
const NAMED_BY: Readonly<Record<string, (repo: GauntletProject) => Promise<unknown>>> = {
  "a file of which an index of version 4 has one letter": async (repo) => {
    await repo.write({ ...SRC_ATTRIBUTES, "src/.gitattribute": "" });
    await repo.git("add", "src");
    await repo.git("update-index", "--index-version", "4");
  },
  "a file of an index in two files": async (repo) => {
    await repo.write(SRC_ATTRIBUTES);
    await repo.git("add", "src");
    await repo.git("update-index", "--split-index");
  },
  "core.attributesFile": async (repo) => {
    await repo.write({ ".git/named": "*.txt filter=keeping\n" });
    await repo.git("config", "core.attributesFile", join(repo.root, ".git/named"));
  },
};

describe.concurrent("a filter that is named only by", () => {
  test.for(Object.entries(NAMED_BY))("%s writes nothing, and the answer is git's own", async ([, name]) => {
    await using repo = await repositoryWithFilter({});
    await name(repo);
    await repo.write({ "src/a.txt": "edited\n" });
    const before = everythingIn(join(repo.root, ".git"));

    const seen = await lookAt(repo);

    expect(everythingIn(join(repo.root, ".git"))).toEqual(before);
    expect(seen.changed).toContain("src/a.txt");
    await repo.git("add", "--all");
    expect(await repo.git("show", ":src/a.txt")).toBe("EDITED\n");
    expect(seen.fingerprint).toBe((await repo.git("write-tree")).trim());
  });
});

const INDEXES: Readonly<Record<string, readonly string[]>> = {
  "an ordinary index": ["update-index", "--refresh"],
  "an index of version 4": ["update-index", "--index-version", "4"],
  "an index in two files": ["update-index", "--split-index"],
  "an index that git would split": ["config", "core.splitIndex", "true"],
};

test.for(Object.entries(INDEXES))(
  "with %s, a submodule that only its own filter makes clean is clean, and nothing is written for it",
  async ([, command]) => {
    await using repo = await repositoryWithFilter();
    const around = await withSubmodule(repo);
    await around.git(...command);
    await around.at("sub").git(...command);
    await around.at("sub").write({ "src/a.txt": "A\n" });
    const before = everythingIn(join(around.root, ".git"));

    const same = await lookAt(around);
    await around.at("sub").write({ "src/a.txt": "other\n" });
    const other = await lookAt(around);

    expect(everythingIn(join(around.root, ".git"))).toEqual(before);
    expect([same.changed, other.changed]).toEqual([[], ["sub"]]);
    expect(other.fingerprint).toBeUndefined(); // no tree says what is in it
  },
);

test("the start of a session writes nothing for a submodule's filter", async () => {
  await using repo = await repositoryWithFilter();
  await using around = await GauntletProject.withChecks({ green: "true" });
  await around.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo.root, "sub");
  await setUpFilter(around.at("sub"));
  await around.commit("submodule");
  await around.at("sub").write({ "src/a.txt": "A\n" }); // has to be read to be known
  const before = everythingIn(join(around.root, ".git"));
  const event = { session_id: "one", cwd: around.root, hook_event_name: "SessionStart" };

  await around.gauntlet(["session-start"], { stdin: JSON.stringify(event) });

  expect(everythingIn(join(around.root, ".git"))).toEqual(before);
});

test("a filter finds what it keeps in git's directory, and settings that depend on where that is", async () => {
  await using repo = await repositoryWithFilter();
  await using home = await tempDir();
  await writeFile(
    join(home.path, "config"),
    `[includeIf "gitdir:${repo.root}/"]\n\tpath = more\n[filter "keeping"]\n\trequired = true\n`,
  );
  await writeFile(
    join(home.path, "more"),
    '[filter "keeping"]\n\tclean = cat "$(git rev-parse --git-dir)/keys/1" -\n',
  );
  await repo.git("config", "--unset", "filter.keeping.clean");
  await mkdir(join(repo.root, ".git/keys"));
  await writeFile(join(repo.root, ".git/keys/1"), "key\n");
  await repo.write({ "src/a.txt": "edited\n" });
  vi.stubEnv("GIT_CONFIG_GLOBAL", join(home.path, "config"));

  const { fingerprint = "" } = await lookAt(repo);
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");

  const asked = ["-c", `include.path=${join(home.path, "config")}`];
  await repo.git(...asked, "add", "--all");
  expect(await repo.git("show", ":src/a.txt")).toBe("key\nedited\n");
  expect(fingerprint).toBe((await repo.git("write-tree")).trim());
});

async function repositoryWithFilter(
  attributes: Readonly<Record<string, string>> = { ".gitattributes": "*.txt filter=keeping\n" },
): Promise<GauntletProject> {
  const repo = await GauntletProject.create({
    ...attributes,
    "src/a.txt": "a\n",
    "docs/b.txt": "b\n",
  });
  await setUpFilter(repo);
  await repo.commit("start");
  return repo;
}

async function withSubmodule(repo: GauntletProject): Promise<GauntletProject> {
  await repo.git("init", "--quiet", "../around");
  const around = repo.at("../around");
  await around.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo.root, "sub");
  await setUpFilter(around.at("sub"));
  await around.commit("submodule");
  return around;
}

function setUpFilter(repo: GauntletProject): Promise<string> {
  return repo.git("config", "filter.keeping.clean", KEEPING);
}

/** Everything that makes git run filters: what changed, a snapshot, what moved since, and whether it is the same later. */
async function lookAt(project: GauntletProject) {
  await using tree = await openTree(project.root);
  await using kept = await tempDir();
  const [changes, snapshot] = await Promise.all([tree.changes(), tree.snapshot()]);
  const index = join(kept.path, "index");
  const hash = snapshot.keepIndex(index) ?? "";
  await snapshot.movement();
  await tree.isUnchangedSince({ path: index, hash, ignoreFiles: [] });
  const paths = changes.ok ? changes.value.changes.files.map(({ path }) => path as string) : [];
  return { changed: paths.toSorted(), fingerprint: await tree.fingerprint() };
}

/** Every file with its content; what an unguarded filter would leave is `kept`. */
function everythingIn(directory: string): Readonly<Record<string, string>> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(names.map((name) => [name, readFileSync(name, "latin1")]));
}
