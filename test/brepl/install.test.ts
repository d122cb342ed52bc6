import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { BREPL } from "../rig/program.ts";

const SETTINGS = ".claude/settings.local.json";
const STOP = { type: "command", command: "brepl hook stop", timeout: 3600 };
const SESSION_END = { type: "command", command: "brepl hook session-end" };
const PRETTIER = { type: "command", command: "npx prettier --write ." };

const install = ["hook", "install"];
const old = (command: string) => ({ type: "command", command });
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

describe("Install Command Enhancement", () => {
  test("Install creates template config", async () => {
    await using project = await GauntletProject.withHooks();

    const run = await project.brepl(install);

    expect(run.exitCode).toBe(0);
    expect(project.read(".brepl/hooks.edn")).toMatch(
      /^;; Stop hooks: what must hold before the agent may stop/,
    );
    expect(JSON.parse(project.read(SETTINGS))).toEqual({
      hooks: { Stop: [{ hooks: [STOP] }], SessionEnd: [{ hooks: [SESSION_END] }] },
    });
  });

  test("Install preserves existing brepl config", async () => {
    await using project = await GauntletProject.withHooks("{:stop [] } ; mine\n");

    const run = await project.brepl(install);

    expect(run.exitCode).toBe(0);
    expect(project.read(".brepl/hooks.edn")).toBe("{:stop [] } ; mine\n");
    expect(project.read(SETTINGS)).toContain("brepl hook stop");
  });
});

describe("a hook is called by name, without npm's help", () => {
  test("a program that only this project has is not found by it, and install says so", async () => {
    await using project = await GauntletProject.withHooks();
    const bin = join(project.root, "node_modules/.bin");
    await mkdir(bin, { recursive: true });
    await symlink(BREPL.at(-1) ?? "", join(bin, "brepl"));

    const local = await project.brepl(install, { env: { PATH: bin } });

    expect(local.stderr).toContain("there is no `brepl` on the PATH that hooks get");
    expect(local.stderr).toContain("npm install --global agent-gauntlet");
  });
});

describe("Idempotent Claude Settings Merge", () => {
  test("Preserve non-brepl hooks during install", async () => {
    await using project = await GauntletProject.withHooks();
    const prettier = [{ matcher: "Edit|Write", hooks: [PRETTIER] }];
    await project.write({ [SETTINGS]: json({ model: "opus", hooks: { PostToolUse: prettier } }) });

    await project.brepl(install);

    expect(JSON.parse(project.read(SETTINGS))).toEqual({
      model: "opus",
      hooks: { PostToolUse: prettier, Stop: [{ hooks: [STOP] }], SessionEnd: [{ hooks: [SESSION_END] }] },
    });
  });

  test("Update brepl hooks idempotently", async () => {
    await using project = await GauntletProject.withHooks();
    await project.write({
      [SETTINGS]: json({
        hooks: {
          PreToolUse: [{ matcher: "Edit|Write|Bash", hooks: [old("brepl hook validate"), PRETTIER] }],
          PostToolUse: [{ matcher: "", hooks: [old("brepl hook eval --debug")] }],
          Stop: [{ matcher: "", hooks: [PRETTIER, { ...old("brepl hooks stop --debug"), timeout: 30 }] }],
          SessionEnd: [{ matcher: "*", hooks: [old("agent-gauntlet brepl hook session-end")] }],
        },
      }),
    });

    await project.brepl(install);

    expect(JSON.parse(project.read(SETTINGS))).toEqual({
      hooks: {
        PreToolUse: [{ matcher: "Edit|Write|Bash", hooks: [PRETTIER] }],
        Stop: [{ matcher: "", hooks: [PRETTIER, STOP] }],
        SessionEnd: [{ matcher: "*", hooks: [SESSION_END] }],
      },
    });
  });

  test("a timeout that the user has raised stays", async () => {
    await using project = await GauntletProject.withHooks();
    await project.write({ [SETTINGS]: json({ hooks: { Stop: [{ hooks: [{ ...STOP, timeout: 7200 }] }] } }) });

    await project.brepl(install);

    expect(JSON.parse(project.read(SETTINGS))).toMatchObject({
      hooks: { Stop: [{ hooks: [{ ...STOP, timeout: 7200 }] }] },
    });
  });

  test("Install is idempotent", async () => {
    await using project = await GauntletProject.withHooks();
    await project.brepl(install);
    const [settings, hooks] = [project.read(SETTINGS), project.read(".brepl/hooks.edn")];

    const again = await project.brepl(install);

    expect(again.exitCode).toBe(0);
    expect([project.read(SETTINGS), project.read(".brepl/hooks.edn")]).toEqual([settings, hooks]);
  });
});

describe("settings of other people", () => {
  const commented = `{
  // how I like it
  "permissions": { "allow": ["Bash(ls:*)"] }, /* keep */
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] } // loud
    ]
  }
}
`;

  test("keep their comments, order and bytes through install and uninstall", async () => {
    await using project = await GauntletProject.withHooks();
    await project.write({ [SETTINGS]: commented });

    const run = await project.brepl(install);
    const installed = project.read(SETTINGS);
    await project.brepl(["hooks", "uninstall"]);

    expect(run.stderr).toContain("skips a settings file with comments");
    expect(installed).toContain("brepl hook stop");
    expect(installed).toContain("// how I like it");
    expect(project.read(SETTINGS)).toBe(commented);
  });

  test("that cannot be read are left as they are", async () => {
    await using project = await GauntletProject.withHooks();
    await project.write({ [SETTINGS]: '{ "hooks": ' });

    const runs = [await project.brepl(install), await project.brepl(["hook", "uninstall"])];

    expect(runs.map(({ exitCode }) => exitCode)).toEqual([1, 1]);
    expect(runs[0]?.stderr).toContain(`${SETTINGS}:1:`);
    expect(project.read(SETTINGS)).toBe('{ "hooks": ');
    expect(project.has(".brepl/hooks.edn")).toBe(false);
  });

  test("lose a file that held nothing but our hooks, and nothing else", async () => {
    await using project = await GauntletProject.withHooks();
    await project.brepl(install);

    await project.brepl(["hook", "uninstall"]);

    expect(project.has(SETTINGS)).toBe(false);
    expect(project.has(".brepl/hooks.edn")).toBe(true);
  });

  test("call the program by the name it was installed with", async () => {
    await using project = await GauntletProject.withHooks();

    const run = await project.gauntlet(["brepl", "hook", "install"]);

    expect(run.exitCode).toBe(0);
    expect(project.read(SETTINGS)).toContain('"agent-gauntlet brepl hook stop"');
  });

  test("get a word of warning when `brepl` is another program", async () => {
    await using project = await GauntletProject.withHooks();
    await project.writeProgram("brepl", "#!/bin/sh\n");

    const run = await project.brepl(install, { env: { PATH: project.bin } });

    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain(`Claude Code will run ${project.bin}/brepl`);
    expect(run.stderr).toContain("agent-gauntlet brepl hook install");
  });
});
