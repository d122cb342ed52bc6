import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

import { BARE_PATH } from "../rig/bare-path.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { GAUNTLET_LINE, IS_NATIVE, nativeFile } from "../rig/program.ts";

/** `--host` for every agent that there is, by the help. */
async function everyHost(project: GauntletProject): Promise<readonly string[]> {
  const { stdout } = await project.gauntlet(["install", "--help"]);
  const [, names = ""] = /several times: ([^]*?)\n +--/.exec(stdout) ?? [];
  return names.split(/[,\s]+/).flatMap((name) => ["--host", name]);
}

/** Every file below a directory with its bytes, so that nothing can change unseen. */
async function snapshot(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file, "latin1")));
  const named = files.map((file, index) => [relative(root, file), contents[index] ?? ""] as const);
  return new Map(
    named
      .filter(([name]) => !name.startsWith(".git/"))
      .toSorted(([one], [other]) => one.localeCompare(other)),
  );
}

test("installs for all hosts into one project and leaves every file as it was when it is taken out again", async () => {
  await using project = await GauntletProject.withChecks(
    { ok: "true" },
    {
      ".claude/settings.json": '{ "permissions": {} }',
      ".claude/settings.local.json": '{\n\t"model": "opus"\n}\n',
      ".codex/hooks.json": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}',
      ".gemini/settings.json": '\uFEFF{\r\n  // mine\r\n  "theme": "dark",\r\n}\r\n',
      ".cursor/hooks.json": '{\n  "version": 1,\n  "hooks": {}\n}\n',
    },
  );
  const before = await snapshot(project.root);
  const all = await everyHost(project);

  await project.gauntlet(["install", "--host", "copilot"]);
  const installed = await project.gauntlet(["install", ...all]);
  const between = await snapshot(project.root);
  const again = await project.gauntlet(["install", ...all]);
  const removed = await project.gauntlet(["uninstall"]);

  expect([installed, again, removed].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  expect([...between.keys()].filter((name) => !before.has(name))).toEqual([
    ".factory/settings.json",
    ".github/hooks/agent-gauntlet.json",
    ".kilo/plugins/agent-gauntlet.js",
    ".opencode/plugins/agent-gauntlet.js",
    ".pi/extensions/agent-gauntlet.ts",
    ".qwen/settings.json",
  ]);
  expect(again.stdout).not.toContain("+ ");
  expect(await snapshot(project.root)).toEqual(before);
});

test("shows the change and makes none with --dry-run", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });

  const done = await project.gauntlet(["install", "--host", "codex", "--dry-run"]);

  expect(done.exitCode).toBe(0);
  expect(done.stdout).toContain(".codex/hooks.json (new file)");
  expect(done.stdout).toMatch(/\+ +"command": ".*stop-hook --host codex",/);
  expect(project.has(".codex")).toBe(false);
});

test("registers in the home directory with --user, where a variable may have moved it", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  const elsewhere = join(project.home, "elsewhere");

  await project.gauntlet(["install", "--user", "--host", "qwen", "--host", "codex"], {
    env: { CODEX_HOME: elsewhere },
  });

  const files = [...(await snapshot(project.home)).keys()];
  expect(files).toEqual([".qwen/settings.json", "elsewhere/hooks.json"]);
});

test("does not register one project's copy in the home directory", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await program(join(project.root, "node_modules/.bin/agent-gauntlet-native"));
  const env = { PATH: BARE_PATH };

  const done = await project.gauntlet(["install", "--user", "--host", "codex"], { env });

  expect(done).toMatchObject({
    exitCode: IS_NATIVE ? 0 : 1,
    stderr: IS_NATIVE ? "" : expect.stringContaining("npm install --global agent-gauntlet"),
  });
  expect((await snapshot(project.home)).size).toBe(IS_NATIVE ? 1 : 0);
});

test("registers every agent whose program is on the PATH or whose folder is in the home directory", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  const bin = join(project.home, "bin");
  await program(join(bin, "gemini"));
  await mkdir(join(project.home, ".factory"), { recursive: true });
  const env = { PATH: `${bin}:${BARE_PATH}` };

  const done = await project.gauntlet(["install", "--all-detected"], { env });

  expect(done.exitCode).toBe(0);
  expect(project.has(".gemini/settings.json")).toBe(true);
  expect(project.has(".factory/settings.json")).toBe(true);
  expect(project.has(".codex/hooks.json")).toBe(false);
});

test("names the file of the program where agent-gauntlet is not on the PATH, and the bare name where it is", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  const bin = join(project.home, "bin");
  await program(join(bin, "agent-gauntlet"));
  const path = BARE_PATH;

  await project.gauntlet(["install", "--host", "codex"], { env: { PATH: path } });
  const byFile = project.read(".codex/hooks.json");
  await project.gauntlet(["install", "--host", "codex"], { env: { PATH: `${bin}:${path}` } });

  const file = IS_NATIVE ? nativeFile() : "node .*agent-gauntlet\\.cjs";
  expect(byFile).toMatch(new RegExp(`"command": "${file} stop-hook --host codex"`));
  expect(project.read(".codex/hooks.json")).toContain('"command": "agent-gauntlet stop-hook --host codex"');
});

test("names the native program where npm installed it for the project or where it runs, and doctor says what a hook starts", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  const native = join(project.root, "node_modules/.bin/agent-gauntlet-native");
  await program(native, `exec ${GAUNTLET_LINE} "$@"`);
  const env = { PATH: BARE_PATH };

  await project.gauntlet(["install", "--host", "codex"], { env });
  const done = await project.gauntlet(["doctor"], { env });

  expect(project.read(".codex/hooks.json")).toContain(
    `"command": "${IS_NATIVE ? nativeFile() : native} stop-hook --host codex"`,
  );
  expect(done.stdout).toMatch(
    IS_NATIVE
      ? /✓ starts the native program: a stop with nothing to do takes \d+ ms/
      : /✓ starts Node: a stop with nothing to do takes \d+ ms/,
  );
});

describe("--shared", () => {
  test.each([
    [
      "a dependency of the project",
      '{ "devDependencies": { "agent-gauntlet": "^1" } }',
      "npx --no-install agent-gauntlet stop-hook",
    ],
    ["nothing of the project's", "{}", "agent-gauntlet stop-hook"],
  ])("writes a command that holds on every machine where the program is %s", async (_, manifest, command) => {
    await using project = await GauntletProject.withChecks({ ok: "true" }, { "package.json": manifest });

    const done = await project.gauntlet(["install", "--shared", "--host", "claude-code", "--host", "codex"]);
    const again = await project.gauntlet(["install", "--host", "claude-code"]);

    expect(done.exitCode).toBe(0);
    expect(project.read(".claude/settings.json")).toContain(`"command": "${command}"`);
    expect(project.read(".codex/hooks.json")).toContain(`"command": "${command} --host codex"`);
    expect(done.stdout).not.toContain("neither ignores nor tracks");
    expect(again.stdout).toContain("also runs the hooks of .claude/settings.json");
    expect(project.has(".claude/settings.local.json")).toBe(false);
  });

  test("says that a personal registration fires too, and uninstall --shared takes the team's out", async () => {
    await using project = await GauntletProject.withChecks({ ok: "true" });
    await project.gauntlet(["install", "--host", "claude-code"]);

    const done = await project.gauntlet(["install", "--shared", "--host", "claude-code"]);
    await project.gauntlet(["uninstall", "--shared", "--host", "claude-code"]);

    expect(done.stdout).toContain(
      "runs the hook twice: from .claude/settings.json and from .claude/settings.local.json",
    );
    expect(project.has(".claude/settings.json")).toBe(false);
    expect(project.has(".claude/settings.local.json")).toBe(true);
  });
});

test("uninstall says that the team's file still has the hook", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.gauntlet(["install", "--shared", "--host", "claude-code"]);

  const done = await project.gauntlet(["uninstall"]);

  expect(done.stdout).toBe(
    ".claude/settings.json has the hook for the team: `agent-gauntlet uninstall --shared` takes it out.\n",
  );
  expect(project.has(".claude/settings.json")).toBe(true);
});

test("uninstall says that a git hook of ours is still there", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.gauntlet(["install", "--git-hook", "--yes"]);
  await project.gauntlet(["install", "--host", "codex"]);

  const first = await project.gauntlet(["uninstall"]);
  const again = await project.gauntlet(["uninstall"]);
  await project.gauntlet(["uninstall", "--git-hook", "--yes"]);
  const last = await project.gauntlet(["uninstall"]);

  const note =
    ".git/hooks/pre-push still runs agent-gauntlet: `agent-gauntlet uninstall --git-hook pre-push` takes it out.";
  expect([first.stdout, again.stdout].map((text) => text.includes(note))).toEqual([true, true]);
  expect(last.stdout).toBe("No stop hook of agent-gauntlet is registered here.\n");
});

test("says that a personal settings file would be committed", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });

  const done = await project.gauntlet(["install", "--host", "claude-code"]);

  expect(done.stdout).toContain(
    "! .claude/settings.local.json is yours alone, but git neither ignores nor tracks it.",
  );
});

test.each([
  ["cladue", 'There is no agent "cladue" here: did you mean `claude-code`? Known'],
  ["cladue-code", 'There is no agent "cladue-code" here: did you mean `claude-code`? Known'],
  ["goose", "goose cannot be gated: its Stop hook is documented but we have not seen it work"],
  ["cline", "cline cannot be gated: it ignores what its TaskComplete hook answers."],
  ["windsurf", "windsurf cannot be gated: its hooks cannot keep the agent from stopping."],
  ["nobody", 'There is no agent "nobody" here. Known: claude-code, codex'],
])("refuses %s and says why", async (name, message) => {
  await using project = await GauntletProject.withChecks({ ok: "true" });

  const done = await project.gauntlet(["install", "--host", name]);

  expect(done.exitCode).toBe(1);
  expect(done.stderr).toContain(message);
});

test("registers Kimi Code only in the home directory, and takes it out of there again", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await mkdir(join(project.home, ".kimi-code"));
  await writeFile(join(project.home, ".kimi-code/config.toml"), 'default_model = "k"');

  const here = await project.gauntlet(["install", "--host", "kimi"]);
  const done = await project.gauntlet(["install", "--host", "kimi", "--user"]);
  const written = await readFile(join(project.home, ".kimi-code/config.toml"), "utf8");
  const removed = await project.gauntlet(["uninstall", "--user"]);

  expect(here.exitCode).toBe(1);
  expect(here.stderr).toContain("`agent-gauntlet install --host kimi --user`");
  expect(done.exitCode).toBe(0);
  expect(written).toMatch(/^default_model = "k"\n\n\[\[hooks\]\]\nevent = "SessionStart"\n/);
  expect(written).toContain('\n\n[[hooks]]\nevent = "Stop"\n');
  expect(removed.exitCode).toBe(0);
  expect(await readFile(join(project.home, ".kimi-code/config.toml"), "utf8")).toBe('default_model = "k"');
});

test("asks for a name where none is given", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });

  const done = await project.gauntlet(["install"]);

  expect(done.exitCode).toBe(1);
  expect(done.stderr).toContain("Name an agent with --host: claude-code, codex");
});

test("leaves a file alone that cannot be parsed, registers the others, and fails", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" }, { ".codex/hooks.json": "{ oops" });

  const done = await project.gauntlet(["install", "--host", "codex", "--host", "qwen"]);

  expect(done.exitCode).toBe(1);
  expect(done.stderr).toContain(".codex/hooks.json:1:3: error");
  expect(project.read(".codex/hooks.json")).toBe("{ oops");
  expect((await stat(join(project.root, ".qwen/settings.json"))).isFile()).toBe(true);
});

async function program(path: string, line = "exit 0"): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${line}\n`);
  await chmod(path, 0o755);
}

test("has Zed start its agents through us, says so in doctor, and takes that out again", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.writeProgram("agent-gauntlet", `#!/bin/sh\nexec ${GAUNTLET_LINE} "$@"\n`);
  const path = join(project.home, ".config/zed/settings.json");
  const settings =
    '{\n  // mine\n  "agent_servers": { "Mine": { "command": "gemini", "args": ["--acp"] } },\n}\n';
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, settings);

  const before = await project.gauntlet(["doctor"]);
  const installed = await project.gauntlet(["install", "--host", "zed", "--yes"]);
  const gated = await readFile(path, "utf8");
  const after = await project.gauntlet(["doctor"]);
  const removed = await project.gauntlet(["uninstall", "--host", "zed", "--yes"]);

  expect(before.stdout).toContain("starts Mine without gates");
  expect(installed).toMatchObject({ exitCode: 0, stderr: "" });
  expect(gated).toContain('"agent-gauntlet", "args": ["acp", "--only-allowed", "--", "gemini", "--acp"]');
  expect(after.stdout).toContain("starts Mine through agent-gauntlet (~/.config/zed/settings.json)");
  expect(removed).toMatchObject({ exitCode: 0 });
  expect(await readFile(path, "utf8")).toBe(settings);
});
