import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { installationOf } from "../../src/install/installation.ts";
import { tempDir } from "../rig/temp-dir.ts";

const FILE = "node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs";
const STORE = "node_modules/.pnpm/agent-gauntlet@1.2.3";

/** What pnpm makes of a dependency of `project`: a directory with the version in its name, and a link to it. */
async function pnpmProject(root: string, project: string): Promise<string> {
  const script = join(root, STORE, FILE);
  await mkdir(dirname(script), { recursive: true });
  await writeFile(script, "");
  await mkdir(join(root, project, "node_modules"), { recursive: true });
  await symlink(
    join(root, STORE, "node_modules/agent-gauntlet"),
    join(root, project, "node_modules/agent-gauntlet"),
  );
  return script;
}

test.for([
  ["a project", "."],
  ["a package of a workspace", "packages/web"],
] as const)("a hook names pnpm's link in %s, not the version behind it", async ([, project]) => {
  await using temp = await tempDir();
  const script = await pnpmProject(temp.path, project);
  const cwd = join(temp.path, project);

  const installation = installationOf({ script, version: "1.2.3" }, { cwd, env: {} });

  expect(installation.script).toBe(join(cwd, FILE));
});

test("a hook names the file that runs where the link leads to another version", async () => {
  await using temp = await tempDir();
  await pnpmProject(temp.path, ".");
  const script = join(temp.path, "node_modules/.pnpm/agent-gauntlet@1.2.2", FILE);
  await mkdir(dirname(script), { recursive: true });
  await writeFile(script, "");

  const installation = installationOf({ script, version: "1.2.2" }, { cwd: temp.path, env: {} });

  expect(installation.script).toBe(script);
});

test("installing the package runs none of its scripts; npm install in a clone still builds", () => {
  const atInstall = ["preinstall", "install", "postinstall", "prepare"];
  const names = Object.keys(packageJson.scripts);

  expect(names.filter((name) => atInstall.includes(name))).toEqual([]);
  expect(packageJson.scripts.postprepare).toBe("npm run build"); // npm and pnpm run it in a clone, and for no dependency
});
