import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { tempDir } from "../rig/temp-dir.ts";

const SCRIPTS = resolve(import.meta.dirname, "../../scripts");
const { version } = packageJson;

/** What a release is checked in, as an owner has it after setting it up. */
const READY: Readonly<Record<string, string>> = {
  "package.json": json({
    name: "@own/agent-gauntlet",
    version,
    repository: "https://github.com/own/gauntlet",
  }),
  "package-lock.json": json({ name: "@own/agent-gauntlet", version }),
  ".claude-plugin/plugin.json": json({ name: "gauntlet", version }),
  ".claude-plugin/marketplace.json": json({
    name: "agent-gauntlet",
    plugins: [{ source: { package: "@own/agent-gauntlet" } }],
  }),
  "CHANGELOG.md": `# Changelog\n\n## [${version}]\n`,
  "README.md": "",
  "llms.txt": "",
  "docs/page.md": "npm install --global @own/agent-gauntlet bullmq\n",
  "examples/agent.mjs": 'import { x } from "@own/agent-gauntlet/sdk";\n',
  "test/a.test.ts": "",
};

async function tree(changed: Readonly<Record<string, string>> = {}) {
  const dir = await tempDir();
  cpSync(SCRIPTS, join(dir.path, "scripts"), { recursive: true });
  for (const [file, text] of Object.entries({ ...READY, ...changed })) {
    await mkdir(dirname(join(dir.path, file)), { recursive: true });
    await writeFile(join(dir.path, file), text);
  }
  const node = (script: string, ...args: readonly string[]) =>
    spawnSync(process.execPath, [`scripts/${script}`, ...args], { cwd: dir.path, encoding: "utf8" });
  await writeFile(join(dir.path, "scripts/install.sh"), "npm install --global @own/agent-gauntlet\n");
  return {
    node,
    read: (file: string) => readFile(join(dir.path, file), "utf8"),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

test("a tree that is ready can be released", async () => {
  await using ready = await tree();

  const checked = ready.node("check-release.mjs", `v${version}`);

  expect(checked).toMatchObject({ status: 0, stderr: "" });
});

test.each<[what: string, file: string, text: string, problem: string]>([
  [
    "the name that others have on npm",
    "package.json",
    json({ name: "agent-gauntlet", version, repository: "https://github.com/own/gauntlet" }),
    "agent-gauntlet is not a name of its own: node scripts/set-package-name.mjs @owner/agent-gauntlet",
  ],
  [
    "no repository",
    "package.json",
    json({ name: "@own/agent-gauntlet", version }),
    "package.json has no `repository` (https://github.com/owner/name)",
  ],
  [
    "a plugin of another version",
    ".claude-plugin/plugin.json",
    json({ version: "0.0.9" }),
    `.claude-plugin/plugin.json has version 0.0.9, not ${version}`,
  ],
  [
    "no word on what is new",
    "CHANGELOG.md",
    "# Changelog\n",
    `CHANGELOG.md has no heading "## [${version}]"`,
  ],
  [
    "a page with another name",
    "docs/page.md",
    "npm install --save-dev agent-gauntlet-native\n",
    "docs/page.md names the package otherwise: node scripts/set-package-name.mjs @own/agent-gauntlet",
  ],
])("%s is refused", async (_, file, text, problem) => {
  await using unready = await tree({ [file]: text });

  const checked = unready.node("check-release.mjs", `v${version}`);

  expect(checked.status).toBe(1);
  expect(checked.stderr).toContain(problem);
});

test("another tag than the version is refused", async () => {
  await using ready = await tree();

  const checked = ready.node("check-release.mjs", "v9.9.9");

  expect(checked.stderr).toBe(`the tag is v9.9.9, but package.json has version ${version}\n`);
});

test("another name goes wherever the package is fetched, and programs keep theirs", async () => {
  const page = [
    "npm install --save-dev agent-gauntlet",
    "`pnpm add -D agent-gauntlet-linux-x64`",
    "npx agent-gauntlet init",
    "npx --yes agent-gauntlet@1.2.3 stop-hook",
    '$schema=../node_modules/agent-gauntlet/schema/config.schema.json"',
    'import { Session } from "agent-gauntlet/sdk";',
    "npx --no-install agent-gauntlet stop-hook; npx agent-gauntlet-native; agent-gauntlet run; node_modules/.bin/agent-gauntlet",
  ];
  await using renamed = await tree({ "docs/page.md": page.join("\n") });

  const done = renamed.node("set-package-name.mjs", "@new/agent-gauntlet");

  expect(done).toMatchObject({ status: 0, stderr: "" });
  expect((await renamed.read("docs/page.md")).split("\n")).toEqual([
    ...page.slice(0, -1).map((line) => line.replace("agent-gauntlet", "@new/agent-gauntlet")),
    page.at(-1),
  ]);
  expect(JSON.parse(await renamed.read("package.json"))).toMatchObject({ name: "@new/agent-gauntlet" });
  expect(JSON.parse(await renamed.read(".claude-plugin/marketplace.json"))).toEqual({
    name: "agent-gauntlet",
    plugins: [{ source: { package: "@new/agent-gauntlet" } }],
  });
  expect(renamed.node("check-release.mjs", `v${version}`)).toMatchObject({ status: 0, stderr: "" });
});

test("a name under which npx would not find the program is refused", async () => {
  await using other = await tree();

  const done = other.node("set-package-name.mjs", "@new/gauntlet");

  expect(done).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("a name like @owner/agent-gauntlet"),
  });
  expect(JSON.parse(await other.read("package.json"))).toMatchObject({ name: "@own/agent-gauntlet" });
});

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
