import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { Git } from "../../../src/system/git/git.ts";
import { Repository } from "../../../src/system/git/repository.ts";
import { keepSessionTree } from "../../../src/system/git/kept-trees.ts";
import { GauntletProject, run } from "../../rig/gauntlet-project.ts";

beforeAll(() => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
  return () => void vi.unstubAllEnvs(); // other files run in this process
});

/** What the user has left uncommitted, as shell commands. */
const UNCOMMITTED: Readonly<Record<string, string>> = {
  "an edit": "echo edited > a.txt",
  "a removed file": "rm a.txt",
  "an untracked file with a strange name": `echo new > "$(printf 'n\\303\\244me [*]\\n"x')"`,
  "an untracked file whose name is not text": `echo new > "$(printf 'n\\344me')"`,
  "a file that is executable now": "chmod +x a.txt",
  "a file that is a link now": "ln -sf b/c.txt a.txt",
  "a file that is a directory now": "rm a.txt; mkdir a.txt; echo x > a.txt/x",
  "a directory that is a file now": "rm -r b; echo b > b",
  "a staged file that is gone": "echo n > n; git add n; rm n",
  "a file that is removed from the index only": "git rm --quiet --cached a.txt",
  "a staged rename with an edit": "git mv a.txt z.txt; echo z >> z.txt",
  "a file that is meant to be added": "echo i > i; git add -N i",
  "an edit that git is set not to see": "git update-index --assume-unchanged a.txt; echo hidden > a.txt",
  "an ignored file": "echo ignored > x.log",
  "line endings that are converted": `echo '*.txt text' > .gitattributes; printf '1\\r\\n2\\r\\n' > a.txt`,
  "a conflict":
    "git checkout -q -b other; echo 1 > a.txt; git commit -qam 1; git checkout -q main; echo 2 > a.txt; git commit -qam 2; git merge other",
};

/** Few files with long names make the index as large as one of thousands of files, which is looked at in another way. */
const MANY = Object.fromEntries(
  Array.from({ length: 300 }, (_, index) => [`${`${"n".repeat(200)}/`.repeat(10)}${index}`, ""]),
);

const IN_LARGE = /^nothing|^an edit$|directory now|index only|meant|conflict/;
const STATES = Object.entries({ nothing: "true", ...UNCOMMITTED });

test.for([
  ...STATES.map(([name, edit]) => [name, "small", edit] as const),
  ...STATES.filter(([name]) => IN_LARGE.test(name)).map(([name, edit]) => [name, "large", edit] as const),
])("a session begins with what `git add --all` would commit: %s, in a %s index", async ([, size, edit]) => {
  await using project = await GauntletProject.create({
    "a.txt": "a\n",
    "b/c.txt": "c\n",
    ".gitignore": "*.log\n",
    ...(size === "large" ? MANY : {}),
  });
  await project.git("config", "user.email", "t@example.com");
  await project.git("config", "user.name", "T");
  await project.commit("start");
  const { root, home } = project;
  const env = { XDG_STATE_HOME: join(home, "state") };
  const shell = { cwd: root, env: { PATH: process.env["PATH"] ?? "", HOME: home } };
  await run(["sh", "-c", edit], shell);
  const index = await project.git("hash-object", ".git/index");

  const kept = await keep(project, env);

  expect(await project.git("hash-object", ".git/index")).toBe(index);
  const added = "git update-index --no-assume-unchanged a.txt; git add --all && git write-tree";
  const { stdout: expected } = await run(["sh", "-c", added], shell);
  expect((await project.git("rev-parse", kept ?? "none")).trim()).toBe(expected.trim());
  const below = readdirSync(home, { recursive: true, encoding: "utf8" });
  const objects = below.find((name) => name.endsWith("trees/objects"));
  const alternates = { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects === undefined ? "" : join(home, objects) };
  const listed = await run(["git", "ls-tree", "-r", kept ?? ""], {
    ...shell,
    env: { ...shell.env, ...alternates },
  });
  expect(listed.stdout).toContain("\t.gitignore\n");
});

async function keep({ root }: GauntletProject, env: Readonly<Record<string, string>>) {
  const repository = await Repository.around(new Git(root));
  if (repository === undefined) throw new Error("there is no repository");
  const head = await repository.git.output(["rev-parse", "HEAD"]);
  return keepSessionTree(repository, head.ok ? head.value.toString().trim() : undefined, { root, env });
}
