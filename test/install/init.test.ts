import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { createColors } from "picocolors";
import { describe, expect, onTestFinished, test } from "vitest";
import { type InitOptions, initCommand } from "../../src/install/commands/init.ts";
import { type UninstallOptions, uninstallCommand } from "../../src/install/commands/uninstall.ts";
import type { Terminal } from "../../src/report/terminal.ts";
import { BARE_PATH } from "../rig/bare-path.ts";
import { examplesIn } from "../rig/docs.ts";
import { tempDir } from "../rig/temp-dir.ts";

const CONFIG = ".gauntlet/config.yml";
const SETTINGS = ".claude/settings.local.json";
const QUESTION = /\([yY]\/[nN]\): $/;
const npmProject = { "package.json": '{ "scripts": { "test": "vitest run" } }' };

describe("on a terminal", () => {
  test("shows the configuration, creates it, asks, and installs the hook, in the words of the design", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ answers: ["y"] });

    expect(init.exitCode).toBe(0);
    const [shown, rest] = init.stdout.split("Creating .gauntlet/config.yml...");
    expect(shown).toContain("  test: npm test");
    expect(`Creating .gauntlet/config.yml...${rest}`).toContain(`Creating .gauntlet/config.yml...
✓ Configuration created

Install Claude Code stop hook? (y/N): y
Creating .claude/settings.local.json...
✓ Stop hook installed - gauntlet will run automatically when agent stops
`);
    expect(await project.read(CONFIG)).toContain("test: npm test");
    expect(JSON.parse(await project.read(SETTINGS))).toEqual(settingsWith("agent-gauntlet stop-hook"));
  });

  test.each(["n", "", "NO"])("installs no hook after %j", async (answer) => {
    const project = await projectWith(npmProject);

    const init = await project.init({ answers: [answer] });

    expect(init.exitCode).toBe(0);
    expect(project.has(CONFIG)).toBe(true);
    expect(project.has(".claude")).toBe(false);
    expect(init.stdout).toContain(
      "No stop hook was installed. Run `agent-gauntlet init --hook` to install it",
    );
  });

  test("asks again after an answer that is neither yes nor no", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ answers: ["perhaps", "y"] });

    expect(init.stdout).toContain(
      "perhaps\nPlease answer y or n.\nInstall Claude Code stop hook? (y/N): y\n",
    );
    expect(project.has(SETTINGS)).toBe(true);
  });

  test.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
    ["the end of the input", undefined],
  ])("ends cleanly at %s, with no hook", async (_, answer) => {
    const project = await projectWith(npmProject);

    const init = await project.init({ answers: [answer] });

    expect(init.exitCode).toBe(1);
    expect(init.stdout).toContain("Cancelled. Nothing more was changed.");
    expect(project.has(".claude")).toBe(false);
  });

  test("asks nothing where the hook is already there", async () => {
    const project = await projectWith(npmProject);
    await project.init({ answers: ["y"] });
    const before = await project.read(SETTINGS);

    const init = await project.init({ answers: [] });

    expect(init).toMatchObject({ exitCode: 0, stderr: "" });
    expect(init.stdout).toContain("Stop hook already installed");
    expect(await project.read(SETTINGS)).toBe(before);
  });
});

describe("without a terminal", () => {
  test("creates the configuration, asks nothing and installs nothing", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ isInteractive: false });

    expect(init.exitCode).toBe(0);
    expect(init.stdout).toContain("✓ Configuration created");
    expect(init.stdout).not.toMatch(QUESTION);
    expect(init.stdout).toContain("Run `agent-gauntlet init --hook`");
    expect(init.stdout).toMatch(/Next: `agent-gauntlet run --all` runs the checks\.\n$/);
    expect(project.has(".claude")).toBe(false);
  });

  test("says npx where a shell would not find the program", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ isInteractive: false, env: { PATH: BARE_PATH } });

    expect(init.stdout).toContain("Run `npx agent-gauntlet init --hook`");
    expect(init.stdout.endsWith("Next: `npx agent-gauntlet run --all` runs the checks.\n")).toBe(true);
  });

  test("says that nothing is checked where no program of a check is installed", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ isInteractive: false, env: { PATH: "/nowhere" } });

    expect(await project.read(CONFIG)).toContain(
      "  # test: npm test # package.json; npm is not installed here",
    );
    expect(init.stdout).toContain("No program of a check is installed, so nothing is checked yet");
  });

  test("says that no tests were recognised where only other checks were", async () => {
    const linted = await projectWith({ "package.json": '{ "scripts": { "lint": "eslint ." } }' });
    const tested = await projectWith(npmProject);
    const words = "No tests were recognised: add a check that runs them to .gauntlet/config.yml.";

    expect((await linted.init({ isInteractive: false })).stdout).toContain(words);
    expect((await tested.init({ isInteractive: false })).stdout).not.toContain(words);
  });

  test("says that nothing is checked where no check was recognised", async () => {
    const project = await projectWith({});

    const init = await project.init({ isInteractive: false });

    expect(init.stdout).toContain(
      "No checks were recognised, so nothing is checked yet: add yours to .gauntlet/config.yml.",
    );
  });

  test("--hook installs the hook", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ isInteractive: false, hook: true });

    expect(init.stdout).toContain("✓ Stop hook installed - gauntlet will run automatically when agent stops");
    const [documented] = examplesIn("docs/claude-code.md").filter(({ language }) => language === "json");
    expect(JSON.parse(await project.read(SETTINGS))).toEqual(JSON.parse(documented?.text ?? ""));
  });
});

describe("flags", () => {
  test("--yes writes the configuration and leaves the hook alone", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ yes: true });

    expect(init.exitCode).toBe(0);
    expect([project.has(CONFIG), project.has(SETTINGS)]).toEqual([true, false]);
  });

  test("--yes too writes that every stop is checked, after a block and beside another run", async () => {
    const project = await projectWith(npmProject);

    await project.init({ yes: true });

    expect(await project.read(CONFIG)).toMatch(/^ {2}when_active: enforce$/m);
    expect(await project.read(CONFIG)).toMatch(/^ {2}when_busy: wait$/m);
  });

  test("--yes --hook writes both", async () => {
    const project = await projectWith(npmProject);

    await project.init({ yes: true, hook: true });

    expect([project.has(CONFIG), project.has(SETTINGS)]).toEqual([true, true]);
  });

  test("--no-hook asks nothing", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ hook: false });

    expect(init.stdout).not.toMatch(QUESTION);
    expect([project.has(CONFIG), project.has(SETTINGS)]).toEqual([true, false]);
  });

  test("--dry-run shows both files and writes nothing", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ dryRun: true, hook: true });

    expect(init.stdout).toContain("test: npm test");
    expect(init.stdout).toContain('"command": "agent-gauntlet stop-hook"');
    expect([project.has(".gauntlet"), project.has(".claude")]).toEqual([false, false]);
  });
});

describe("what is already there", () => {
  test("a configuration is never overwritten, and the hook is still offered", async () => {
    const project = await projectWith({ [CONFIG]: "checks:\n  mine: make\n" });

    const init = await project.init({ answers: ["y"] });

    expect(init.stdout).toContain(".gauntlet/config.yml already exists and was left as it is.");
    expect(await project.read(CONFIG)).toBe("checks:\n  mine: make\n");
    expect(project.has(SETTINGS)).toBe(true);
  });

  test("check files keep their names: none is written a second time", async () => {
    const project = await projectWith({ ...npmProject, ".gauntlet/checks/test.yml": "command: make\n" });

    await project.init({ hook: false });

    expect(await project.read(CONFIG)).not.toContain("npm test");
  });

  test("settings that cannot be read are left as they are, with the place and what to paste", async () => {
    const broken = '{\n  "model": "opus"\n  "env": {}\n}\n';
    const project = await projectWith({ ...npmProject, [SETTINGS]: broken });

    const init = await project.init({ hook: true });

    expect(init.exitCode).toBe(1);
    expect(init.stderr).toContain(`${SETTINGS}:3:3: error: not valid JSON`);
    expect(init.stderr).toContain('"command": "agent-gauntlet stop-hook"');
    expect(await project.read(SETTINGS)).toBe(broken);
  });

  test("settings that are not text are left as they are", async () => {
    const project = await projectWith(npmProject);
    await mkdir(join(project.path, ".claude"));
    await writeFile(join(project.path, SETTINGS), Buffer.from([0x7b, 0xff, 0x7d]));

    const init = await project.init({ hook: true });

    expect(init).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("not valid UTF-8") });
    expect(await readFile(join(project.path, SETTINGS))).toEqual(Buffer.from([0x7b, 0xff, 0x7d]));
  });

  test("a comment in the settings is kept, and its effect on Claude Code is mentioned", async () => {
    const project = await projectWith({ ...npmProject, [SETTINGS]: '{\n  // mine\n  "model": "opus"\n}\n' });

    const init = await project.init({ hook: true });

    expect(await project.read(SETTINGS)).toContain("// mine");
    expect(init.stderr).toContain("skips a settings file with comments");
  });

  test("a hook in the team's settings counts as installed", async () => {
    const shared = JSON.stringify(settingsWith("npx agent-gauntlet stop-hook"));
    const project = await projectWith({ ...npmProject, ".claude/settings.json": shared });

    const init = await project.init({ hook: true });

    expect(init.stdout).toContain("Stop hook already installed (.claude/settings.json)");
    expect(project.has(SETTINGS)).toBe(false);
  });

  test("a link to a settings file is written through, and the file keeps its mode", async () => {
    const project = await projectWith({ ...npmProject, "dotfiles/claude.json": "{}\n" });
    await chmod(join(project.path, "dotfiles/claude.json"), 0o600);
    await mkdir(join(project.path, ".claude"));
    await symlink("../dotfiles/claude.json", join(project.path, SETTINGS));

    await project.init({ hook: true });

    expect(await realpath(join(project.path, SETTINGS))).toBe(join(project.path, "dotfiles/claude.json"));
    expect(await project.read("dotfiles/claude.json")).toContain("agent-gauntlet stop-hook");
    expect((await stat(join(project.path, "dotfiles/claude.json"))).mode & 0o777).toBe(0o600);
  });
});

describe("the command of the hook", () => {
  test("names the file, and says so, where agent-gauntlet is not on the PATH", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({
      hook: true,
      env: { PATH: BARE_PATH },
      script: "/my tools/agent-gauntlet.cjs",
    });

    expect(JSON.parse(await project.read(SETTINGS))).toEqual(
      settingsWith("node '/my tools/agent-gauntlet.cjs' stop-hook"),
    );
    expect(init.stdout).toContain("not on the PATH that hooks get");
  });
});

describe("in a subdirectory of a repository", () => {
  test.each<[answer: string, place: string, said: string]>([
    ["", ".", "the root of the repository"],
    ["n", "app", "this directory alone"],
  ])("asks for the root, and after %j takes %s and says so", async (answer, place, said) => {
    const project = await repositoryWith({ "app/go.mod": "" });

    const init = await project.init({ cwd: join(project.path, "app"), answers: [answer, "n"] });

    expect(init.stdout).toContain(`Set up the whole repository, ${project.path}? (Y/n): `);
    expect(init.stdout).toContain(`Setting up ${join(project.path, place)} (${said}`);
    expect(project.has(join(place, CONFIG))).toBe(true);
  });

  test.each<[flag: "here" | "yes", place: string]>([
    ["yes", "."],
    ["here", "app"],
  ])("--%s takes %s without a question", async (flag, place) => {
    const project = await repositoryWith({ "app/go.mod": "" });

    const init = await project.init({ cwd: join(project.path, "app"), [flag]: true, hook: false });

    expect(init.stdout).not.toMatch(QUESTION);
    expect(init.stdout).toContain(`Setting up ${join(project.path, place)} (`);
    expect(project.has(join(place, CONFIG))).toBe(true);
  });
});

test("writes the branch that changes are compared with", async () => {
  const project = await repositoryWith(npmProject, "trunk");

  await project.init({ yes: true });

  expect(await project.read(CONFIG)).toContain("\nbase_branch: trunk\n");
});

test("proposes the programs of .venv, and says which program is missing", async () => {
  const project = await projectWith({ "requirements.txt": "pytest\nruff\n", "test_app.py": "" });
  await mkdir(join(project.path, ".venv/bin"), { recursive: true });
  await writeFile(join(project.path, ".venv/bin/pytest"), "#!/bin/sh\n", { mode: 0o755 });

  const init = await project.init({ yes: true });

  expect(await project.read(CONFIG)).toContain("  test: .venv/bin/pytest # requirements.txt\n");
  expect(await project.read(CONFIG)).toContain("  # lint: ruff check . # requirements.txt; ruff is not");
  expect(init.stdout).toContain("! lint: `ruff` is not installed here, so this check is commented out");
  expect(init.stdout).toContain(
    "Better feedback for `test`: add `--junitxml=report-test.xml` to its command",
  );
});

test("says that the project's package manager is not installed, and what npm cannot run in its place", async () => {
  const scripts = { lint: "eslint .", test: "pnpm lint && vitest run" };
  const manifest = JSON.stringify({ packageManager: "pnpm@10.28.0", scripts });
  const project = await projectWith({ "package.json": manifest });

  const init = await project.init({ yes: true });

  expect(init.stdout).toContain("! test: `pnpm` is not installed here, so this check is commented out");
  expect(init.stdout).toContain(
    "! `pnpm`, this project's package manager, is not installed here, so npm runs",
  );
});

test("the check of shell scripts sees new ones, and none that was removed or is ignored", async () => {
  const project = await repositoryWith({
    "a.sh": "echo a\n",
    "old.sh": "echo old\n",
    ".gitignore": "tmp.sh\n",
  });
  execFileSync("git", ["add", "."], { cwd: project.path });
  await project.init({ yes: true });
  const command = /lint: (.*) # /.exec(await project.read(CONFIG))?.[1] ?? "";
  const lint = () => spawnSync("sh", ["-c", command], { cwd: project.path, encoding: "utf8" });
  await rm(join(project.path, "old.sh"));
  await writeFile(join(project.path, "tmp.sh"), "fi\n");

  expect(lint()).toMatchObject({ status: 0, stderr: "" });
  await writeFile(join(project.path, "new.sh"), "fi\n");
  expect(lint().stderr).toContain("new.sh: line 1: syntax error");
});

test("--try runs each check once and shows its result", async () => {
  const project = await projectWith({ Makefile: "lint:\n\t@echo bad style; exit 3\ntest:\n\t@true\n" });

  const init = await project.init({ yes: true, try: true, env: { PATH: process.env["PATH"] } });

  expect(init.exitCode).toBe(0);
  expect(init.stdout).toMatch(/✗ lint fails with exit code 2 \(.*\): make -k lint\n\s+bad style/);
  expect(init.stdout).toMatch(/✓ test passes \(.*\)/);
  expect(await project.read(CONFIG)).toContain(
    "  # lint: make -k lint # Makefile; fails with exit code 2 already\n",
  );
});

test("--try says where a check ran that does not look after everything", async () => {
  const project = await projectWith({
    "backend/Makefile": "test:\n\t@true\n",
    "frontend/Makefile": "test:\n\t@exit 1\n",
  });

  const init = await project.init({ yes: true, try: true, env: { PATH: process.env["PATH"] } });

  expect(init.stdout).toMatch(/✓ \S*test\S* in backend passes/);
  expect(init.stdout).toMatch(/✗ \S*test\S* in frontend fails/);
});

test("--try offers only_new for a check that is red already", async () => {
  const project = await repositoryWith({ Makefile: "lint:\n\t@echo bad style; exit 3\ntest:\n\t@true\n" });

  const init = await project.init({ answers: ["", "n"], try: true, env: { PATH: process.env["PATH"] } });

  expect(init.stdout).toContain("lint is red already. Block only for new problems (`only_new`)?");
  expect(await project.read(".gauntlet/config.yml")).toMatch(
    / lint: .*\n +command: make -k lint\n +only_new: true\n/,
  );
});

test("--try leaves no check active that fails already: without a person it blocks for new problems alone", async () => {
  const project = await repositoryWith({ Makefile: "lint:\n\t@echo bad style; exit 3\n" });

  const init = await project.init({ yes: true, try: true, env: { PATH: process.env["PATH"] } });

  expect(init.stdout).toContain("! lint is red already, so only new problems block (`only_new: true`).");
  expect(await project.read(CONFIG)).toMatch(/ lint: .*\n +command: make -k lint\n +only_new: true\n/);
});

test("--try names the checks that find no error, and leaves them as comments", async () => {
  const project = await repositoryWith({
    Makefile: "lint:\n\t@true\ntest:\n\tpython3 -m unittest discover -s tests\n",
    "tests/test_a.py": "import unittest\nclass A(unittest.TestCase):\n  def test_a(self): pass\n",
  });

  const init = await project.init({ yes: true, try: true, env: { PATH: process.env["PATH"] } });

  expect(init.stdout).toContain(
    "! lint is blind: it stays green with an error in the one file that it may read.",
  );
  expect(await project.read(CONFIG)).toContain(
    "  # lint: make -k lint # Makefile; it stays green with an error",
  );
  expect(await project.read(CONFIG)).toContain("  test: make -k test # Makefile\n");
  expect(await project.read("tests/test_a.py")).not.toContain("planted");
});

test("--try tries no check of a Node project whose packages are not installed", async () => {
  const manifest = { scripts: { test: "vitest run" }, devDependencies: { vitest: "4" } };
  const project = await repositoryWith({ "package.json": JSON.stringify(manifest) });

  const init = await project.init({ yes: true, try: true });

  expect(init.stdout).toContain(
    "! Not tried, because the packages of the project are not installed: test. Run `npm install`, then",
  );
  expect(await project.read(CONFIG)).toContain("  test: npm test # package.json\n");
});

test("--try says what a check edits or leaves behind", async () => {
  const project = await repositoryWith({
    Makefile: "lint:\n\t@touch a.txt\ntest:\n\t@echo > out.log\n",
    "a.txt": "a",
  });

  const init = await project.init({ yes: true, try: true, env: { PATH: process.env["PATH"] } });

  expect(init.stdout).toContain("It edits a.txt: let its command only check");
  expect(init.stdout).toContain(
    "It leaves out.log, a change at every stop: add a line for that to .gitignore.",
  );
});

test("--try tries the checks of a configuration that exists, and changes nothing", async () => {
  const config = "checks:\n  mine: exit 1\n  yours: 'true'\n";
  const project = await repositoryWith({ [CONFIG]: config });

  const init = await project.init({ yes: true, try: true, env: { PATH: process.env["PATH"] } });

  expect(init.stdout).toMatch(/✗ mine fails with exit code 1 \(.*\): exit 1\n/);
  expect(init.stdout).toMatch(/✓ yours passes/);
  expect(await project.read(CONFIG)).toBe(config);
});

test("--try says why only_new would not help a check that ends at its first failure", async () => {
  const project = await projectWith({ Makefile: "test:\n\t@false\n\t@sh test.sh\n" });

  const init = await project.init({ answers: [""], try: true, env: { PATH: process.env["PATH"] } });

  expect(init.stdout).toContain(
    "To let test block only for new problems, change its command first: it ends at the first command that fails (a recipe of make)",
  );
  expect(init.stdout).not.toContain("is red already");
  expect(await project.read(CONFIG)).toContain(
    "  # test: make -k test # Makefile; fails with exit code 2 already\n",
  );
});

describe("the personal settings file and git", () => {
  test("offers to ignore a file that git would commit", async () => {
    const project = await repositoryWith({ ...npmProject, ".gitignore": "dist" });

    const init = await project.init({ answers: ["y", ""] });

    expect(init.stdout).toContain(`${SETTINGS} is yours alone, but git neither ignores nor tracks it.`);
    expect(await project.read(".gitignore")).toBe(`dist\n${SETTINGS}\n`);
  });

  test("leaves .gitignore alone after a no, and without a terminal only says so", async () => {
    const asked = await repositoryWith(npmProject);
    const unasked = await repositoryWith(npmProject);

    await asked.init({ answers: ["y", "n"] });
    const init = await unasked.init({ yes: true, hook: true });

    expect([asked.has(".gitignore"), unasked.has(".gitignore")]).toEqual([false, false]);
    expect(init.stdout).toContain("Add it to .gitignore, or `git add .` commits it.");
  });

  test("offers to ignore node_modules, whose files would count as changed", async () => {
    const project = await repositoryWith({ "requirements.txt": "pytest\n", "node_modules/a/index.js": "" });

    const first = await project.init({ answers: ["y", "n"] });
    const second = await project.init({ yes: true });

    expect(first.stdout).toContain("Git does not ignore node_modules, so all its files count as changed.");
    expect(await project.read(".gitignore")).toBe("node_modules/\n");
    expect(second.stdout).not.toContain("node_modules");
  });

  test("says without a terminal that node_modules is not ignored", async () => {
    const project = await repositoryWith({ "node_modules/a/index.js": "" });

    const init = await project.init({ yes: true });

    expect(init.stdout).toContain(
      "! Git does not ignore node_modules, so all its files count as changed. Add it",
    );
    expect(project.has(".gitignore")).toBe(false);
  });

  test("says nothing where it is ignored, or outside git", async () => {
    const ignored = await repositoryWith({ ...npmProject, ".gitignore": ".claude/settings.local.json\n" });
    const outside = await projectWith(npmProject);

    const inits = [await ignored.init({ answers: ["y"] }), await outside.init({ answers: ["y"] })];

    expect(inits.map(({ stdout }) => stdout.includes("neither ignores nor tracks"))).toEqual([false, false]);
  });
});

test("a directory that cannot be written is reported, not thrown", async () => {
  const project = await projectWith({ ...npmProject, ".gauntlet": "a file" });

  const init = await project.init({ hook: false });

  expect(init).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Cannot write") });
});

test("offers the other agents that it finds, and registers them", async () => {
  const project = await projectWith(npmProject);
  await mkdir(join(project.bin, ".codex"));

  const init = await project.init({ answers: ["y", "y"] });

  expect(init.stdout).toContain("Also found: Codex. Install the stop hook there too? (y/N): y");
  expect(await project.read(".codex/hooks.json")).toContain("stop-hook --host codex");
});

describe("uninstall", () => {
  test.each([undefined, "{}\n", '{ "model": "opus" }', '{\n\t"hooks": {"Stop": []}\n}\n'])(
    "after init gives back the settings %j",
    async (before) => {
      const project = await projectWith(before === undefined ? {} : { [SETTINGS]: before });
      await project.init({ hook: true });
      expect(await project.read(SETTINGS)).toContain("agent-gauntlet stop-hook");

      const uninstall = await project.uninstall();

      expect(uninstall).toMatchObject({ exitCode: 0, stderr: "" });
      expect(uninstall.stdout).toContain("✓ Stop hook removed");
      expect(project.has(".claude") ? await project.read(SETTINGS) : undefined).toBe(before);
      expect(project.has(CONFIG)).toBe(true);
    },
  );

  test("in a subdirectory takes the hook of the project above out", async () => {
    const project = await projectWith({ "src/a.txt": "" });
    execFileSync("git", ["init", "-q"], { cwd: project.path });
    await project.init({ hook: true });

    const uninstall = await project.uninstall({}, join(project.path, "src"));

    expect(uninstall.stdout).toContain("✓ Stop hook removed");
    expect(project.has(SETTINGS)).toBe(false);
  });

  test("--dry-run only tells", async () => {
    const project = await projectWith({});
    await project.init({ hook: true });

    const uninstall = await project.uninstall({ dryRun: true });

    expect(uninstall.stdout).toContain(".claude/settings.local.json (removed)");
    expect(project.has(SETTINGS)).toBe(true);
  });

  test("without a hook of ours changes nothing and says so", async () => {
    const project = await projectWith({ [SETTINGS]: '{"hooks": {}}' });

    const uninstall = await project.uninstall();

    expect(uninstall).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("No stop hook of agent-gauntlet"),
    });
    expect(await project.read(SETTINGS)).toBe('{"hooks": {}}');
  });
});

function settingsWith(command: string): object {
  const start = command.replace("stop-hook", "session-start");
  const prompt = command.replace("stop-hook", "prompt-hook");
  const config = command.replace("stop-hook", "config-hook");
  return {
    hooks: {
      SessionStart: [{ hooks: [{ type: "command", command: start, timeout: 30 }] }],
      UserPromptSubmit: [{ hooks: [{ type: "command", command: prompt, timeout: 30 }] }],
      ConfigChange: [{ hooks: [{ type: "command", command: config, timeout: 30 }] }],
      Stop: [{ hooks: [{ type: "command", command, timeout: 300 }] }],
    },
  };
}

interface Overrides extends Partial<InitOptions>, Partial<Pick<Terminal, "cwd" | "env" | "isInteractive">> {
  /** One for each question; undefined ends the input. */
  readonly answers?: readonly (string | undefined)[];
}

/** The same in a git repository without a remote. */
async function repositoryWith(files: Readonly<Record<string, string>>, branch = "main") {
  const project = await projectWith(files);
  execFileSync("git", ["init", "-q", `--initial-branch=${branch}`], { cwd: project.path });
  return project;
}

async function projectWith(files: Readonly<Record<string, string>>) {
  const directory = await tempDir();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const path = directory.path;
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  const bin = await globalInstallation(path);
  return {
    path,
    bin,
    has: (name: string) => existsSync(join(path, name)),
    read: (name: string) => readFile(join(path, name), "utf8"),
    init: ({
      answers = [],
      cwd = path,
      env = { PATH: bin, HOME: bin },
      isInteractive = true,
      ...options
    }: Overrides = {}) => {
      const person = personTyping(answers);
      const terminal = { ...person.streams, cwd, env, isInteractive, colours: createColors(false) };
      const program = { script: join(bin, "agent-gauntlet"), version: "1.0.0" };
      return person.outcome(initCommand(terminal, { ...program, ...options }));
    },
    uninstall: (options: UninstallOptions = {}, cwd = path) => {
      const person = personTyping([]);
      const terminal = {
        ...person.streams,
        cwd,
        env: {},
        isInteractive: false,
        colours: createColors(false),
      };
      return person.outcome(uninstallCommand(terminal, options));
    },
  };
}

/** A directory for the PATH, outside what the project's files are, with the bare command and npm in it. */
async function globalInstallation(project: string): Promise<string> {
  const bin = join(project, ".git-ignored-bin");
  await mkdir(bin);
  for (const name of ["agent-gauntlet", "npm"])
    await writeFile(join(bin, name), "#!/bin/sh\n", { mode: 0o755 });
  return bin;
}

/** Streams of a person who types an answer whenever a question has been asked. */
function personTyping(answers: readonly (string | undefined)[]) {
  const stdin = new PassThrough();
  const pending = [...answers];
  let [shown, complaints] = ["", ""];
  const stdout = new Writable({
    write(chunk: Buffer, _, done) {
      shown += chunk.toString();
      if (QUESTION.test(chunk.toString())) type(pending.shift());
      done();
    },
  });
  const type = (answer: string | undefined): void => {
    if (answer === undefined) stdin.end();
    else stdin.write(/^[\u0003\u0004]$/.test(answer) ? answer : `${answer}\r`);
  };
  const stderr = new Writable({
    write(chunk: Buffer, _, done) {
      complaints += chunk.toString();
      done();
    },
  });
  const outcome = async (running: Promise<number>) => {
    const exitCode = await running;
    return { exitCode, stdout: stripVTControlCharacters(shown).replaceAll("\r", ""), stderr: complaints };
  };
  return { streams: { stdin, stdout, stderr }, outcome };
}

test("a wrapper that the project brings along is there, at the top and below it", async () => {
  const project = await projectWith({ "pom.xml": "", mvnw: "", "app/build.gradle": "", "app/gradlew": "" });
  for (const wrapper of ["mvnw", "app/gradlew"]) await chmod(join(project.path, wrapper), 0o755);

  const init = await project.init({ yes: true });

  expect(init.stdout).not.toContain("is not installed here");
  expect(await project.read(CONFIG)).toContain("  test: ./mvnw -B -q -fae test # pom.xml\n");
});
