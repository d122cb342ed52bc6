import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readHooks } from "../../src/config/brepl/load.ts";
import { SourceText } from "../../src/config/source-text.ts";
import { breplHooks, BREPL_TEMPLATE } from "../../src/brepl/hook-settings.ts";
import { planInstall, planUninstall } from "../../src/install/plan-hooks.ts";
import { breplProject } from "../rig/brepl-project.ts";
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
    await using project = await breplProject();

    const run = await project.brepl(install);

    expect(run.exitCode).toBe(0);
    expect(await project.read(".brepl/hooks.edn")).toBe(BREPL_TEMPLATE);
    expect(JSON.parse(await project.read(SETTINGS))).toEqual({
      hooks: { Stop: [{ hooks: [STOP] }], SessionEnd: [{ hooks: [SESSION_END] }] },
    });
  });

  test("Install preserves existing brepl config", async () => {
    await using project = await breplProject("{:stop [] } ; mine\n");

    const run = await project.brepl(install);

    expect(run.exitCode).toBe(0);
    expect(await project.read(".brepl/hooks.edn")).toBe("{:stop [] } ; mine\n");
    expect(await project.read(SETTINGS)).toContain("brepl hook stop");
  });
});

describe("a hook is called by name, without npm's help", () => {
  test("a program that only this project has is not found by it, and install says so", async () => {
    await using project = await breplProject();
    const bin = join(project.dir, "node_modules/.bin");
    await mkdir(bin, { recursive: true });
    await symlink(BREPL.at(-1) ?? "", join(bin, "brepl"));

    const local = await project.brepl(install, { env: { PATH: bin } });

    expect(local.stderr).toContain("there is no `brepl` on the PATH that hooks get");
    expect(local.stderr).toContain("npm install --global agent-gauntlet");
  });
});

describe("Idempotent Claude Settings Merge", () => {
  test("Preserve non-brepl hooks during install", async () => {
    await using project = await breplProject();
    const prettier = [{ matcher: "Edit|Write", hooks: [PRETTIER] }];
    await project.write(SETTINGS, json({ model: "opus", hooks: { PostToolUse: prettier } }));

    await project.brepl(install);

    expect(JSON.parse(await project.read(SETTINGS))).toEqual({
      model: "opus",
      hooks: { PostToolUse: prettier, Stop: [{ hooks: [STOP] }], SessionEnd: [{ hooks: [SESSION_END] }] },
    });
  });

  test("Update brepl hooks idempotently", async () => {
    await using project = await breplProject();
    await project.write(
      SETTINGS,
      json({
        hooks: {
          PreToolUse: [{ matcher: "Edit|Write|Bash", hooks: [old("brepl hook validate"), PRETTIER] }],
          PostToolUse: [{ matcher: "", hooks: [old("brepl hook eval --debug")] }],
          Stop: [{ matcher: "", hooks: [PRETTIER, { ...old("brepl hooks stop --debug"), timeout: 30 }] }],
          SessionEnd: [{ matcher: "*", hooks: [old("agent-gauntlet brepl hook session-end")] }],
        },
      }),
    );

    await project.brepl(install);

    expect(JSON.parse(await project.read(SETTINGS))).toEqual({
      hooks: {
        PreToolUse: [{ matcher: "Edit|Write|Bash", hooks: [PRETTIER] }],
        Stop: [{ matcher: "", hooks: [PRETTIER, STOP] }],
        SessionEnd: [{ matcher: "*", hooks: [SESSION_END] }],
      },
    });
  });

  test("a timeout that the user has raised stays", async () => {
    await using project = await breplProject();
    await project.write(SETTINGS, json({ hooks: { Stop: [{ hooks: [{ ...STOP, timeout: 7200 }] }] } }));

    await project.brepl(install);

    expect(JSON.parse(await project.read(SETTINGS))).toMatchObject({
      hooks: { Stop: [{ hooks: [{ ...STOP, timeout: 7200 }] }] },
    });
  });

  test("Install is idempotent", async () => {
    await using project = await breplProject();
    await project.brepl(install);
    const [settings, hooks] = [await project.read(SETTINGS), await project.read(".brepl/hooks.edn")];

    const again = await project.brepl(install);

    expect(again.exitCode).toBe(0);
    expect([await project.read(SETTINGS), await project.read(".brepl/hooks.edn")]).toEqual([settings, hooks]);
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
    await using project = await breplProject();
    await project.write(SETTINGS, commented);

    const run = await project.brepl(install);
    const installed = await project.read(SETTINGS);
    await project.brepl(["hooks", "uninstall"]);

    expect(run.stderr).toContain("skips a settings file with comments");
    expect(installed).toContain("brepl hook stop");
    expect(installed).toContain("// how I like it");
    expect(await project.read(SETTINGS)).toBe(commented);
  });

  test("that cannot be read are left as they are", async () => {
    await using project = await breplProject();
    await project.write(SETTINGS, '{ "hooks": ');

    const runs = [await project.brepl(install), await project.brepl(["hook", "uninstall"])];

    expect(runs.map(({ exitCode }) => exitCode)).toEqual([1, 1]);
    expect(runs[0]?.stderr).toContain(`${SETTINGS}:1:`);
    expect(await project.read(SETTINGS)).toBe('{ "hooks": ');
    expect(project.has(".brepl/hooks.edn")).toBe(false);
  });

  test("lose a file that held nothing but our hooks, and nothing else", async () => {
    await using project = await breplProject();
    await project.brepl(install);

    await project.brepl(["hook", "uninstall"]);

    expect(project.has(SETTINGS)).toBe(false);
    expect(project.has(".brepl/hooks.edn")).toBe(true);
  });

  test("call the program by the name it was installed with", async () => {
    await using project = await breplProject();

    const run = await project.gauntlet(["brepl", "hook", "install"]);

    expect(run.exitCode).toBe(0);
    expect(await project.read(SETTINGS)).toContain('"agent-gauntlet brepl hook stop"');
  });

  test("get a word of warning when `brepl` is another program", async () => {
    await using project = await breplProject();
    await project.write("bin/brepl", "#!/bin/sh\n", 0o755);

    const run = await project.brepl(install, { env: { PATH: `${project.dir}/bin` } });

    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain(`Claude Code will run ${project.dir}/bin/brepl`);
    expect(run.stderr).toContain("agent-gauntlet brepl hook install");
  });

  const hook = fc.record({
    type: fc.constant("command"),
    command: fc.constantFrom("say done", "make lint", "brepl-like"),
  });
  const entry = fc.record(
    { matcher: fc.constantFrom("", "*"), hooks: fc.array(hook, { maxLength: 3 }) },
    { requiredKeys: ["hooks"] },
  );
  const events = fc.constantFrom("Stop", "SessionEnd", "PreToolUse");
  const settings = fc.record(
    { model: fc.string(), hooks: fc.dictionary(events, fc.array(entry, { maxLength: 3 })) },
    { requiredKeys: [] },
  );

  test("are byte for byte the same after install and uninstall, whatever is in them", () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(undefined, 2, 4, "\t"), (value, indent) => {
        const before = JSON.stringify(value, null, indent);

        const installed = planInstall(before, breplHooks("brepl"));
        const text = installed.ok && installed.value.kind === "written" ? installed.value.text : "";
        const twice = planInstall(text, breplHooks("brepl"));
        const restored = planUninstall(text, breplHooks("brepl"));

        expect(twice).toEqual({ ok: true, value: { kind: "unchanged" } });
        expect(restored).toEqual({ ok: true, value: { kind: "written", text: before } });
      }),
    );
  });
});

describe("the template", () => {
  test("has no hooks until one is wanted", () => {
    expect(readHooks(new SourceText("hooks.edn", BREPL_TEMPLATE))).toEqual({ hooks: [], diagnostics: [] });
  });

  test("has examples that work once they are not commented out", () => {
    const { hooks, diagnostics } = readHooks(
      new SourceText("hooks.edn", BREPL_TEMPLATE.replaceAll("#_{", "{")),
    );

    expect(diagnostics).toEqual([]);
    expect(hooks.map(({ gate, retryOnFailure }) => [gate.kind, gate.name, retryOnFailure])).toEqual([
      ["repl", "tests", true],
      ["check", "lint", false],
    ]);
  });

  test.each([
    ":type",
    ":name",
    ":retry-on-failure?",
    ":max-retries",
    ":required?",
    ":timeout",
    ":code",
    ":command",
    ":cwd",
    ":env",
  ])("explains %s", (field) => {
    expect(BREPL_TEMPLATE).toMatch(new RegExp(`^;;   ${field.replace("?", "\\?")} `, "m"));
  });
});
