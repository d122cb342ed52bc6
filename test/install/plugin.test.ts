import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

import { CLAUDE_CODE_HOOKS, claudeCode } from "../../src/hosts/claude-code.ts";
import { isOurCommand } from "../../src/install/hook-command.ts";
import { jsonHooks } from "../../src/install/hook-registration.ts";
import { planInstall } from "../../src/install/plan-hooks.ts";
import { tempDir } from "../rig/temp-dir.ts";

const root = join(import.meta.dirname, "../..");

function read(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, file), "utf8")) as Record<string, unknown>; // our own files
}

function keysOf<T extends object>(record: T): readonly (keyof T)[] {
  return Object.keys(record) as (keyof T)[]; // a constant of our own, with no further keys
}

test("the plugin has the version of the package", () => {
  expect(read(".claude-plugin/plugin.json")["version"]).toBe(read("package.json")["version"]);
});

test("the plugin registers every event that install can, but those of tools, with its own copy of the program", () => {
  const command = 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/agent-gauntlet.sh" stop-hook --only-allowed';
  const wanted = {
    command,
    hooks: keysOf(CLAUDE_CODE_HOOKS.events).filter((kind) => !kind.endsWith("edit")),
  };
  const planned = planInstall(
    undefined,
    jsonHooks(claudeCode, CLAUDE_CODE_HOOKS, wanted, "hooks/hooks.json"),
  );

  expect(isOurCommand(command)).toBe(true);
  expect(planned).toMatchObject({ ok: true, value: { kind: "written" } });
  const written = planned.ok && planned.value.kind === "written" ? planned.value.text : "";
  expect(read("hooks/hooks.json")["hooks"]).toEqual((JSON.parse(written) as { hooks: unknown }).hooks);
});

test("the package ships what the plugin needs", () => {
  expect(read("package.json")["files"]).toEqual(
    expect.arrayContaining(["dist", ".claude-plugin", "hooks", "commands"]),
  );
});

test("the plugin's script starts the native program on the PATH, else Node with its own copy, and none that lies in the project", async () => {
  await using dir = await tempDir();
  const bin = join(dir.path, "bin");
  const start = (): string =>
    execFileSync("/bin/sh", [join(root, "hooks/agent-gauntlet.sh"), "stop-hook"], {
      env: { PATH: bin, CLAUDE_PROJECT_DIR: dir.path },
      encoding: "utf8",
    });

  await program(join(bin, "node"));
  const node = start();
  await program(join(bin, "agent-gauntlet-native"));
  const onPath = start();
  await program(join(dir.path, "node_modules/.bin/agent-gauntlet-native"));
  const ofProject = start();

  expect(node).toBe(`${join(bin, "node")} ${root}/hooks/../dist/cli/agent-gauntlet.cjs stop-hook\n`);
  expect(onPath).toBe(`${join(bin, "agent-gauntlet-native")} stop-hook\n`);
  expect(ofProject).toBe(onPath);
});

/** Prints its own name and what it was given. */
async function program(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '#!/bin/sh\necho "$0" "$@"\n', { mode: 0o755 });
}
