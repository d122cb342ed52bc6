import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSettings } from "../../src/config/gauntlet/load.ts";
import { absolutePath } from "../../src/path.ts";
import { detectChecks } from "../../src/install/detect/detect-checks.ts";
import { Project, type DetectedCheck } from "../../src/install/detect/project.ts";
import { type StarterConfig, starterConfig } from "../../src/install/starter-config.ts";

import { tempDir } from "../rig/temp-dir.ts";
import { PROJECTS } from "./detect/projects.ts";

const bare: StarterConfig = { scopes: [], hasOwnChecks: false, schema: "schema.json" };

function withChecks(...checks: readonly DetectedCheck[]): StarterConfig {
  return { ...bare, scopes: [{ path: ".", checks }] };
}

test.each(PROJECTS)("a configuration for $kind loads with exactly its checks", async ({ files, checks }) => {
  const detected = detectChecks(new Project(Object.keys(files), new Map(Object.entries(files))));

  const installed = detected.map(({ missing: _program, ...check }) => check);
  const { settings, warnings } = await load(starterConfig(withChecks(...installed)));

  const loaded = settings.entryPoints.flatMap(({ gates }) => gates);
  expect(
    Object.fromEntries(loaded.map((gate) => [gate.name, gate.kind === "check" && gate.command])),
  ).toEqual(checks);
  expect(warnings.map(({ message }) => message)).toEqual(
    loaded.length > 0 ? [] : ["no gate can ever run, so nothing is checked"],
  );
});

test("a command with every special character of YAML survives", async () => {
  const command = `echo "a: b" # 'c' && { true; } | tee %x @y \`z\` \\n`;

  const { settings } = await load(starterConfig(withChecks({ name: "odd", command, source: "x" })));

  expect(settings.entryPoints[0]?.gates[0]).toMatchObject({ name: "odd", command });
});

test("environment variables of a check are written down", async () => {
  const check = { name: "test", command: "npm test", source: "package.json", env: { CI: "true" } };

  const { settings } = await load(starterConfig(withChecks(check)));

  expect(settings.entryPoints[0]?.gates[0]).toMatchObject({ command: "npm test", env: { CI: "true" } });
});

test("the files and the place of a check are written down, and what mends only as a comment", async () => {
  const fix = "npx eslint --fix {files}";
  const text = starterConfig(
    withChecks({
      name: "lint",
      command: "npx eslint {files}",
      source: "lefthook.yml",
      files: ["*.ts"],
      workingDirectory: "web",
      fix,
    }),
  );

  const { settings } = await load(text);

  expect(settings.entryPoints[0]?.gates[0]).toMatchObject({ files: ["*.ts"], workingDirectory: "web" });
  expect(settings.entryPoints[0]?.gates[0]).toMatchObject({ kind: "check", fix: undefined });
  const uncommented = await load(text.replace("# fix:", "fix:"));
  expect(uncommented.settings.entryPoints[0]?.gates[0]).toMatchObject({ fix });
});

test("a workspace is gated package by package", async () => {
  const checks = [{ name: "test", command: "npm test", source: "package.json" }];

  const { settings } = await load(
    starterConfig({ ...bare, scopes: [{ path: ".", checks, packages: ["a", "b"] }] }),
  );

  expect(settings.entryPoints).toMatchObject([{ isAuto: true }]);
});

test("checks every stop, and waits for another run in progress", async () => {
  const { settings } = await load(starterConfig(bare));

  expect(settings.stopHook).toMatchObject({ whenActive: "enforce", whenBusy: "wait" });
});

test("names the branch that changes are compared with", async () => {
  const { settings } = await load(starterConfig({ ...bare, baseBranch: "origin/trunk" }));

  expect(settings.baseBranch).toBe("origin/trunk");
});

test("gives each project of a repository an entry point with its own checks", async () => {
  const scopes = [
    { path: ".", checks: [] },
    { path: "backend", checks: [{ name: "backend-test", command: "pytest", source: "backend/setup.py" }] },
    { path: "web/@app", checks: [{ name: "web-@app-test", command: "npm test", source: "x" }] },
  ];

  const { settings, warnings } = await load(starterConfig({ ...bare, scopes }));

  expect(settings.entryPoints.map(({ path, gates }) => [path, gates.map(({ name }) => name)])).toEqual([
    ["backend", ["backend-test"]],
    ["web/@app", ["web-@app-test"]],
  ]);
  expect(warnings).toEqual([]);
});

test("writes a check whose program is not installed as a comment that only needs uncommenting", async () => {
  const source = "pyproject.toml";
  const lint = { name: "lint", command: "ruff check {files}", source, files: ["*.py"], missing: "ruff" };
  const text = starterConfig(withChecks(lint, { name: "test", command: "pytest", source }));

  const asWritten = await load(text);
  const uncommented = await load(text.replaceAll(/^ {2}# (?=lint| {2})/gm, "  "));

  expect(text).toContain("  # lint: # pyproject.toml; ruff is not installed here\n");
  expect(asWritten.settings.entryPoints[0]?.gates.map(({ name }) => name)).toEqual(["test"]);
  expect(uncommented.settings.entryPoints[0]?.gates.map(({ name }) => name)).toEqual(["lint", "test"]);
});

function check(name: string, missing?: string): DetectedCheck {
  return { name, command: "x", source: "y", ...(missing !== undefined && { missing }) };
}

test("an entry point names no check that is a comment", async () => {
  const scopes = [
    { path: "api", checks: [check("api-lint", "ruff"), check("api-test")] },
    { path: "web", checks: [check("web-test", "bun")] },
  ];

  const some = await load(starterConfig({ ...bare, scopes }));
  const none = await load(starterConfig({ ...bare, scopes: scopes.slice(1) }));

  expect(some.settings.entryPoints.map(({ path, gates }) => [path, gates.map(({ name }) => name)])).toEqual([
    ["api", ["api-test"]],
  ]);
  expect(none.settings.entryPoints.flatMap(({ gates }) => gates)).toEqual([]);
});

test("leaves the checks to the files in .gauntlet/checks where there are some", async () => {
  const { settings, warnings } = await load(starterConfig({ ...bare, hasOwnChecks: true }), {
    "checks/unit.yml": "command: make unit\n",
  });

  expect(settings.entryPoints[0]?.gates).toMatchObject([{ name: "unit", command: "make unit" }]);
  expect(warnings).toEqual([]);
});

test("names the command that works in a project that has the program, and in one that has not", () => {
  expect(starterConfig(bare)).toContain("\n#   npx agent-gauntlet run ");
  expect(starterConfig({ ...bare, schema: undefined })).toContain("\n#   agent-gauntlet run ");
});

test("begins with the schema for editors", () => {
  expect(starterConfig(bare)).toMatch(/^# yaml-language-server: \$schema=schema\.json\n/);
  expect(starterConfig({ ...bare, schema: undefined })).not.toContain("$schema");
});

async function load(config: string, more: Readonly<Record<string, string>> = {}) {
  await using directory = await tempDir();
  for (const [name, text] of Object.entries({ "config.yml": config, ...more })) {
    const path = join(directory.path, ".gauntlet", name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, text);
  }
  const loaded = await loadSettings(absolutePath(directory.path), { XDG_CONFIG_HOME: directory.path });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.trouble));
  return loaded.value;
}
