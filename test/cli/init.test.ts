import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, realpath, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { createColors } from "picocolors";
import { describe, expect, onTestFinished, test } from "vitest";
import { type InitOptions, initCommand } from "../../src/cli/commands/init.ts";
import { type UninstallOptions, uninstallCommand } from "../../src/cli/commands/uninstall.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { tempDir } from "../rig/temp-dir.ts";

const CONFIG = ".gauntlet/config.yml";
const SETTINGS = ".claude/settings.local.json";
const npmProject = { "package.json": '{ "scripts": { "test": "vitest run" } }' };

describe("on a terminal", () => {
  test("shows the configuration, creates it, asks, and installs the hook, in the words of the design", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ answers: ["y", "n"] });

    expect(init.exitCode).toBe(0);
    const [shown, rest] = init.stdout.split("Creating .gauntlet/config.yml...");
    expect(shown).toContain("  test: npm test");
    expect(`Creating .gauntlet/config.yml...${rest}`).toContain(`Creating .gauntlet/config.yml...
✓ Configuration created

Install Claude Code stop hook? (y/n): y
Creating .claude/settings.local.json...
✓ Stop hook installed - gauntlet will run automatically when agent stops
`);
    expect(await project.read(CONFIG)).toContain("test: npm test");
    expect(JSON.parse(await project.read(SETTINGS))).toEqual(settingsWith("agent-gauntlet stop-hook"));
  });

  test.each(["n", "", "perhaps", "no"])("installs no hook after %j", async (answer) => {
    const project = await projectWith(npmProject);

    const init = await project.init({ answers: [answer] });

    expect(init.exitCode).toBe(0);
    expect(project.has(CONFIG)).toBe(true);
    expect(project.has(".claude")).toBe(false);
  });

  test("offers to check every stop, says why, and writes it down", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ answers: ["YES", "y"] });

    expect(init.stdout).toContain("without its fix being verified");
    expect(await project.read(CONFIG)).toContain("when_active: enforce\n");
    expect(await project.read(CONFIG)).toContain("test: npm test");
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

  test.each(["\u0003", undefined])(
    "an offer that nobody answers (%j) changes nothing and is no failure",
    async (last) => {
      const project = await projectWith(npmProject);

      const init = await project.init({ answers: ["y", last] });

      expect(init.exitCode).toBe(0);
      expect(await project.read(CONFIG)).toContain("when_active: allow\n");
      expect(project.has(SETTINGS)).toBe(true);
    },
  );

  test("asks nothing where the hook is already there", async () => {
    const project = await projectWith(npmProject);
    await project.init({ answers: ["y", "n"] });
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
    expect(init.stdout).not.toContain("(y/n)");
    expect(init.stdout).toContain("agent-gauntlet init --hook");
    expect(init.stdout).toMatch(/Next: `npx agent-gauntlet run` runs the checks\.\n$/);
    expect(project.has(".claude")).toBe(false);
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
    expect(init.stdout).toContain("when_active: enforce");
    expect(project.has(SETTINGS)).toBe(true);
  });
});

describe("flags", () => {
  test("--yes writes the configuration and leaves the hook alone", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ yes: true });

    expect(init.exitCode).toBe(0);
    expect([project.has(CONFIG), project.has(SETTINGS)]).toEqual([true, false]);
  });

  test("--yes --hook writes both", async () => {
    const project = await projectWith(npmProject);

    await project.init({ yes: true, hook: true });

    expect([project.has(CONFIG), project.has(SETTINGS)]).toEqual([true, true]);
  });

  test("--no-hook asks nothing", async () => {
    const project = await projectWith(npmProject);

    const init = await project.init({ hook: false });

    expect(init.stdout).not.toContain("hook? (y/n)");
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

  test("a comment in the settings is kept, and its effect on Claude Code is told", async () => {
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
      env: { PATH: dirname(process.execPath) },
      script: "/my tools/agent-gauntlet.cjs",
    });

    expect(JSON.parse(await project.read(SETTINGS))).toEqual(
      settingsWith("node '/my tools/agent-gauntlet.cjs' stop-hook"),
    );
    expect(init.stdout).toContain("not on the PATH that hooks get");
  });
});

test("in a subdirectory of a repository it says that it writes there, and why", async () => {
  const project = await projectWith({ "app/go.mod": "" });
  execFileSync("git", ["init", "-q"], { cwd: project.path });

  const init = await project.init({ cwd: join(project.path, "app"), hook: false });

  expect(init.stdout).toContain(`Writing to the current directory, ${join(project.path, "app")},`);
  expect(await project.read("app/.gauntlet/config.yml")).toContain("test: go test ./...");
});

test("a directory that cannot be written is reported, not thrown", async () => {
  const project = await projectWith({ ...npmProject, ".gauntlet": "a file" });

  const init = await project.init({ hook: false });

  expect(init).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Cannot write") });
});

test("offers the other agents that it finds, and registers them", async () => {
  const project = await projectWith(npmProject);
  await mkdir(join(project.bin, ".codex"));

  const init = await project.init({ answers: ["y", "n", "y"] });

  expect(init.stdout).toContain("Also found: Codex. Install the stop hook there too? (y/n): y");
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
  return { hooks: { Stop: [{ hooks: [{ type: "command", command, timeout: 300 }] }] } };
}

interface Overrides extends Partial<InitOptions>, Partial<Pick<Terminal, "cwd" | "env" | "isInteractive">> {
  /** One for each question; undefined ends the input. */
  readonly answers?: readonly (string | undefined)[];
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

/** A directory for the PATH, outside what the project's files are, with the bare command in it. */
async function globalInstallation(project: string): Promise<string> {
  const bin = join(project, ".git-ignored-bin");
  await mkdir(bin);
  await writeFile(join(bin, "agent-gauntlet"), "#!/bin/sh\n", { mode: 0o755 });
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
      if (chunk.toString().endsWith("(y/n): ")) type(pending.shift());
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
