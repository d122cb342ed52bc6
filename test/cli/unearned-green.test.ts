import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";

const NO_BAD = "! grep -rq BAD --include=*.txt --include=*.TXT .";

const FILTERED = { ".git/info/attributes": "*.txt filter=lie\n" };

describe("the user learns what git was told to overlook in the session", () => {
  test.each<[how: string, act: (project: GauntletProject) => Promise<unknown>, notice: RegExp]>([
    [
      "a new file that is excluded",
      (project) => project.write({ ".git/info/exclude": "new.txt\n", "new.txt": "BAD" }),
      /in .*\.git\/info\/exclude\. Changes/,
    ],
    [
      "a change that a filter takes back",
      async (project) => {
        await project.git("config", "filter.lie.clean", "sed s/BAD./FINE/");
        await project.write({ ...FILTERED, "a.txt": "BAD." });
      },
      /in .*\.git\/config, .*\.git\/info\/attributes\. Changes/,
    ],
    [
      "a new file that a directory hides, with its own rule",
      (project) => project.write({ "src/new/.gitignore": "*\n", "src/new/b.txt": "BAD" }),
      /git ignores src\/new\/b\.txt by rules of this session, in src\/new\/\.gitignore\. No gate/,
    ],
    [
      "a new file that settings in an included file hide",
      async (project) => {
        await project.write({
          "../own/config": "[core]\n\texcludesFile = ~/list\n",
          "../home/list": "new.txt\n",
        });
        await project.git("config", "include.path", join(project.root, "../own/config"));
        await project.write({ "new.txt": "BAD" });
      },
      /in .*\.git\/config\. Changes/,
    ],
    [
      "a test that a sparse checkout leaves out",
      (project) => project.git("sparse-checkout", "set", ".gauntlet"),
      /\.git\/info\/sparse-checkout/,
    ],
  ])("%s", async (_, act, notice) => {
    await using project = await GauntletProject.withChecks(
      { words: NO_BAD },
      { "a.txt": "FINE", "t/a.txt": "" },
    );
    await begin(project);
    await act(project);

    const first = (await project.stop()).answer;
    const second = (await project.stop()).answer;

    expect(first.status).toBe("no_changes");
    expect(first.systemMessage).toMatch(notice);
    expect(second.systemMessage).toBeUndefined();
  });
});

test.each([
  [
    "GIT_CONFIG_COUNT",
    { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.excludesFile", GIT_CONFIG_VALUE_0: "../list" },
  ],
  ["GIT_CONFIG_GLOBAL", { GIT_CONFIG_GLOBAL: "../config" }],
])("the user learns that %s hides a new file", async (name, env) => {
  await using project = await GauntletProject.withChecks({ words: NO_BAD }, { "a.txt": "FINE" });
  await begin(project);
  await project.write({
    "../list": "new.txt\n",
    "../config": "[core]\n\texcludesFile = ../list\n",
    "new.txt": "BAD",
  });

  const { answer } = await project.stop({}, { env });

  expect(answer).toMatchObject({ status: "no_changes" });
  expect(answer.systemMessage).toContain(
    `variables with settings of git were changed in this session (${name}`,
  );
});

test("the user learns what new rules of a .gitignore hide, and not what it hid before or what tools leave", async () => {
  await using project = await GauntletProject.withChecks(
    { words: "true" },
    { ".gitignore": "old.txt\n", "a.txt": "1" },
  );
  await begin(project);
  await project.write({
    "old.txt": "",
    "a.txt": "2",
    ".cache/.gitignore": "*\n",
    ".cache/b": "",
    "src/b.txt": "BAD",
  });
  const before = (await project.stop()).answer;
  await project.write({ ".gitignore": "old.txt\nsrc\n" });

  const { systemMessage } = (await project.stop()).answer;

  expect(before.systemMessage).toBeUndefined();
  expect(systemMessage).toContain("git ignores src/ by rules of this session, in .gitignore.");
});

test("new rules of a .gitignore are read without filters that leave something in .git", async () => {
  await using project = await GauntletProject.withChecks(
    { words: "true" },
    { "a.txt": "1", ".gitattributes": "*.txt filter=keeping\n" },
  );
  const keeping = 'd="$(git rev-parse --git-dir)/kept"; mkdir -p "$d"; touch "$d/$$"; cat';
  await project.git("config", "filter.keeping.clean", keeping);
  await begin(project);
  await project.write({ "a.txt": "1", ".gitignore": "b.txt\n", "b.txt": "" }); // a time of its own: git reads it

  const { systemMessage } = (await project.stop()).answer;

  expect(systemMessage).toContain("git ignores b.txt by rules of this session");
  expect(project.has(".git/kept")).toBe(false);
});

test("a directory that hides itself after a pass has the gates run again", async () => {
  await using project = await GauntletProject.withChecks({ words: NO_BAD }, { "a.txt": "FINE" });
  await begin(project);
  await project.write({ "a.txt": "BETTER" });
  const passed = [(await project.stop()).answer, (await project.stop()).answer];
  await project.write({ "src/new/.gitignore": "*\n", "src/new/b.txt": "BAD" });

  const { answer } = await project.stop();

  expect(passed[1]?.message).toContain("nothing changed since run 1");
  expect(answer).toMatchObject({ decision: "block" });
});

describe("after a stop that was blocked, git stash", () => {
  test.each([true, false])("is told, though the gates pass (untracked files too: %s)", async (all) => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD }, { "a.txt": "FINE" });
    await project.write({ "a.txt": "BAD" });
    const blocked = (await project.stop()).answer;
    await project.git("stash", "--quiet", ...(all ? ["--include-untracked"] : []));

    const { answer } = await project.stop();
    const again = (await project.stop()).answer;

    expect([blocked.decision, answer.decision]).toEqual(["block", "approve"]);
    expect(answer.systemMessage).toMatch(/work was put away with `git stash` \(WIP on main/);
    expect(again.systemMessage).toBeUndefined();
  });

  test("is not told if it was there before", async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD }, { "a.txt": "FINE" });
    await project.write({ "a.txt": "1" });
    await project.git("stash", "--quiet");
    await nextSecond(); // git keeps whole seconds
    await project.write({ "a.txt": "BAD" });
    await project.stop();
    await project.write({ "a.txt": "FINE2" });

    expect((await project.stop()).answer).toMatchObject({ status: "passed" });
    expect((await project.stop()).answer.systemMessage).toBeUndefined();
  });
});

async function begin(project: GauntletProject): Promise<void> {
  const event = { session_id: "session-1", cwd: project.root, hook_event_name: "SessionStart" };
  await project.gauntlet(["session-start"], { stdin: JSON.stringify(event) });
}

describe("a change that the repository's settings hide is checked", () => {
  test("another mode, with core.fileMode=false", async () => {
    await using project = await GauntletProject.withChecks({ mode: "test -x run.sh" }, { "run.sh": "" });
    chmodSync(join(project.root, "run.sh"), 0o755);
    await project.commit("executable");
    await project.git("config", "core.fileMode", "false");
    chmodSync(join(project.root, "run.sh"), 0o644);

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test("another content of the same size and time, with core.trustctime=false", async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD }, { "a.txt": "FINE" });
    const path = join(project.root, "a.txt");
    utimesSync(path, LONG_AGO, LONG_AGO);
    await project.git("update-index", "--refresh");
    await project.git("config", "core.trustctime", "false");
    await nextSecond(); // git may compare whole seconds
    writeFileSync(path, "BAD.");
    utimesSync(path, LONG_AGO, LONG_AGO);

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test("another content of the same size and time, a moment after a pass", async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD });
    const path = join(project.root, "a.txt");
    writeFileSync(path, "FINE");
    utimesSync(path, LONG_AGO, LONG_AGO);
    await project.stop();
    writeFileSync(path, "BAD.");
    utimesSync(path, LONG_AGO, LONG_AGO);

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test.each([
    ["in .git/info/attributes", (project: GauntletProject) => project.write(FILTERED)],
    [
      "named by core.attributesFile",
      async (project: GauntletProject) => {
        await project.write({ "../attributes": "*.txt filter=lie\n" });
        await project.git("config", "core.attributesFile", join(project.root, "../attributes"));
      },
    ],
  ])("another content that a new filter %s turns into what passed", async (_, name) => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD });
    await project.write({ "a.txt": "FINE" });
    await project.stop();
    await name(project);
    await project.git("config", "filter.lie.clean", "sed s/BAD./FINE/");
    await project.write({ "a.txt": "BAD." });

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test("a removed file that is marked skip-worktree, without a sparse checkout", async () => {
    await using project = await GauntletProject.withChecks({ there: "test -e a.txt" }, { "a.txt": "FINE" });
    await project.git("update-index", "--skip-worktree", "a.txt");
    rmSync(join(project.root, "a.txt"));

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test("but what a sparse checkout leaves out is no change", async () => {
    await using project = await GauntletProject.withChecks(
      { red: "exit 1" },
      { "in/a.txt": "FINE", "out/b.txt": "FINE" },
    );
    await project.git("sparse-checkout", "set", "in", ".gauntlet");

    expect(project.has("out/b.txt")).toBe(false);
    expect((await project.stop()).answer.status).toBe("no_changes");
  });

  test("a name that differs in case only, with core.ignoreCase=true", async ({ skip }) => {
    if (process.platform !== "linux") skip("two such names are one file here");
    await using project = await GauntletProject.withChecks({ words: NO_BAD }, { "f1.txt": "FINE" });
    await project.git("config", "core.ignoreCase", "true");
    await project.write({ "F1.TXT": "BAD" });

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test.each([
    ["assumed unchanged", ["update-index", "--assume-unchanged", "a.txt"]],
    ["skipped", ["update-index", "--skip-worktree", "a.txt"]],
  ])("a file of a submodule that is %s there", async (_, hide) => {
    await using project = await withSubmodule({ words: NO_BAD });
    await project.at("vendor").git(...hide);
    await project.write({ "vendor/a.txt": "BAD" });

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test("a mode in a submodule that does not care about modes", async () => {
    await using project = await withSubmodule({ mode: "! test -x vendor/a.txt" });
    await project.at("vendor").git("config", "core.fileMode", "false");
    chmodSync(join(project.root, "vendor/a.txt"), 0o755);

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test("a file assumed unchanged without a temporary directory to look from: an error, not `no changes`", async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD }, { "a.txt": "FINE" });
    await project.git("update-index", "--assume-unchanged", "a.txt");
    await project.write({ "a.txt": "BAD" });

    const { answer } = await project.stop({}, { env: { TMPDIR: join(project.root, "../nowhere") } });

    expect(answer.status).toBe("error");
  });

  test("a work tree elsewhere, with core.worktree: an error that names it", async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD }, { "a.txt": "FINE" });
    const elsewhere = join(project.home, "elsewhere");
    await run(["cp", "-a", project.root, elsewhere], { cwd: "/", env: cleanEnv("/") });
    await project.git("config", "core.worktree", elsewhere);
    await project.write({ "a.txt": "BAD" });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ status: "error", message: expect.stringContaining(elsewhere) as string });
  });

  test("a commit that a graft gives other parents", async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD }, { "a.txt": "FINE" });
    await project.git("update-ref", "refs/remotes/origin/main", "HEAD");
    await project.git("checkout", "--quiet", "-b", "work");
    await project.write({ "a.txt": "BAD" });
    await project.commit("bad");
    const [bad, base] = await Promise.all(["HEAD", "HEAD^"].map((rev) => project.git("rev-parse", rev)));
    await project.write({ ".git/info/grafts": `${base?.trim()} ${bad?.trim()}\n${bad?.trim()}\n` });

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test("a commit that a replacement makes look like another", async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD }, { "a.txt": "FINE" });
    await project.git("branch", "origin-main");
    await project.git("update-ref", "refs/remotes/origin/main", "HEAD");
    await project.git("checkout", "--quiet", "-b", "work");
    await project.write({ "a.txt": "BAD" });
    await project.commit("bad");
    await project.git("replace", "refs/remotes/origin/main", "HEAD");

    expect((await project.stop()).answer.status).toBe("failed");
  });
});

describe("a change that names no file a gate could be given is planned, or reported", () => {
  test("a submodule above an entry point", async () => {
    await using project = await withSubmodule(
      {},
      "entry_points: [{ path: vendor/src, checks: [red] }]\nchecks: { red: exit 1 }\n",
      { "src/b.txt": "" },
    );
    await project.write({ "vendor/src/b.txt": "new" });

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test("a repository inside the repository, below a glob", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "entry_points: [{ path: 'packages/**/*.ts', checks: [red] }]\nchecks: { red: exit 1 }\n",
    });
    await project.commit("start");
    await project.write({ "packages/a/x.ts": "" });
    await project.at("packages/a").git("init", "--quiet");
    await project.at("packages/a").commit("inner");

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test("a submodule that a command takes as files: the user is notified", async () => {
    await using project = await withSubmodule({}, 'checks: { lint: "echo {files}" }\n');
    await project.write({ "vendor/a.txt": "new" });

    const { answer } = await project.stop();

    expect(answer.systemMessage).toContain("No gate looked at vendor");
  });

  test("a name with the end of a line in it, below a glob", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "entry_points: [{ path: 'src/**/*.txt', checks: [red] }]\nchecks: { red: exit 1 }\n",
    });
    await project.commit("start");
    await project.write({ "src/deep/a\nb.txt": "" });

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test("an entry point that was removed as a whole: the user is notified", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "entry_points: [{ path: api, checks: [red] }]\nchecks: { red: exit 1 }\n",
      "api/a.txt": "",
    });
    await project.commit("start");
    rmSync(join(project.root, "api"), { recursive: true });

    const { answer } = await project.stop();

    expect(answer.systemMessage).toContain("api no longer exists");
  });
});

describe("a pass by inputs is not used for other bytes", () => {
  test.each([
    ["line endings that git converts", { attributes: "* text=auto\n", clean: "", other: "fine\r\n" }],
    ["what a clean filter takes away", { attributes: "* filter=same\n", clean: "echo fine", other: "BAD\n" }],
  ])("%s", async (_, { attributes, clean, other }) => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": checked("printf 'fine\\n' | cmp - a.txt", "*.txt"),
      ".gitattributes": attributes,
      "a.txt": "fine\n",
    });
    if (clean !== "") await project.git("config", "filter.same.clean", clean);
    await project.write({ "b.md": "1" });
    expect((await project.gauntlet(["run"])).exitCode).toBe(0);
    await project.write({ "a.txt": other, "b.md": "2" });

    expect((await project.gauntlet(["run"])).exitCode).toBe(1);
  });

  test("another commit of a submodule above them", async () => {
    await using project = await withSubmodule({}, checked("test ! -e vendor/src/new.txt", "vendor/src/**"), {
      "src/b.txt": "",
    });
    await project.write({ "b.md": "1" });
    expect((await project.gauntlet(["run"])).exitCode).toBe(0);
    await project.write({ "vendor/src/new.txt": "" });
    await project.at("vendor").commit("more");

    expect((await project.gauntlet(["run"])).exitCode).toBe(1);
  });

  test("a file whose name is not UTF-8 and looks like another's", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": checked("test $(ls src | wc -l) = 1", "src/**"),
    });
    const path = (byte: number): Buffer =>
      Buffer.concat([Buffer.from(join(project.root, "src/a")), Buffer.from([byte])]);
    mkdirSync(join(project.root, "src"));
    writeFileSync(path(0xfe), "");
    expect((await project.gauntlet(["run"])).exitCode).toBe(0);
    writeFileSync(path(0xff), "");

    expect((await project.gauntlet(["run"])).exitCode).toBe(1);
  });

  test("a new file whose name holds the end of a line", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": checked("test $(ls -q src | wc -l) = 1", "src/**/*.txt"),
      "src/a.txt": "",
    });
    expect((await project.gauntlet(["run"])).exitCode).toBe(0);
    await project.write({ "src/b\nc.txt": "" });

    expect((await project.gauntlet(["run"])).exitCode).toBe(1);
  });
});

describe("a tree that moved while it was judged", () => {
  test("a gate that changes a file while another has read it: a warning that names it", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "checks:\n  words: { command: 'grep -q fine a.txt', parallel: false }\n  writer: { command: 'sleep 0.1; echo BAD > a.txt', parallel: false }\n",
      "a.txt": "fine",
    });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
    expect(answer.systemMessage).toContain("a.txt");
  });

  test("a gate that puts a file where a directory was: judged by the others, with a warning", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "checks:\n  first: { command: test -e dir/a.txt, parallel: false }\n  writer: { command: rm -r dir && touch dir, parallel: false }\n",
      "dir/a.txt": "fine",
    });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
  });

  test("more than one gate that writes, though the same bytes: a warning, and nothing is recorded", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "checks:\n  one: { command: 'cp a.txt b; cat b > a.txt; rm b; sleep 0.1', parallel: false }\n  two: { command: 'sleep 0.1; cp c.txt b; cat b > c.txt; rm b', parallel: false }\n",
      "a.txt": "fine",
      "c.txt": "fine",
    });

    const { answer } = await project.stop();
    const again = await project.stop();

    expect(answer.status).toBe("passed_with_warnings");
    expect(again.answer.message).not.toContain("nothing changed since");
  });

  test("one generator that writes what was there before: a plain pass, used again", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks: { generate: 'echo same > made.txt', test: 'true' }\n",
      "made.txt": "same\n",
    });

    const { answer } = await project.stop();
    const again = await project.stop();

    expect(answer.status).toBe("passed");
    expect(again.answer.message).toContain("nothing changed since run 1");
  });
});

function checked(command: string, inputs: string): string {
  return `checks:\n  seen: { command: ${JSON.stringify(command)}, inputs: [${JSON.stringify(inputs)}] }\n`;
}

function nextSecond(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1_010 - (Date.now() % 1_000)));
}

const LONG_AGO = new Date("2020-01-01T00:00:00Z");

/** A project with a checked-out submodule at `vendor`, everything committed. */
async function withSubmodule(
  checks: Readonly<Record<string, string>>,
  config = `checks:\n${Object.entries(checks)
    .map(([name, command]) => `  ${name}: ${JSON.stringify(command)}\n`)
    .join("")}`,
  files: Readonly<Record<string, string>> = {},
): Promise<GauntletProject> {
  const project = await GauntletProject.create({ ".gauntlet/config.yml": config });
  const library = project.at("../library");
  mkdirSync(library.root);
  await library.git("init", "--quiet", "--initial-branch=main");
  await library.write({ "a.txt": "FINE", ...files });
  await library.commit("library");
  await project.git(
    "-c",
    "protocol.file.allow=always",
    "submodule",
    "--quiet",
    "add",
    library.root,
    "vendor",
  );
  await project.commit("start");
  return project;
}
