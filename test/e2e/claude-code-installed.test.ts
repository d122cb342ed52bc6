import { expect, test } from "vitest";
import { installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import { type Finished, cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { packInto } from "../rig/packed.ts";

const claude = await installClaudeCode();

test("installed from its package as a development dependency, init writes a hook that fires wherever the model is", async ({
  skip,
}) => {
  if (!claude.ok) return skip(claude.reason);
  await using project = await GauntletProject.create({
    ".gitignore": "node_modules/\n",
    "package.json": JSON.stringify({ name: "it's an app", scripts: { test: "grep fixed status.txt" } }),
    "packages/inner/package.json": '{ "name": "inner" }',
    "status.txt": "broken\n",
  });
  await installPackage(project);

  const init = await npx(project, "agent-gauntlet", "init", "--yes", "--hook");
  const cd = { name: "Bash", input: { command: "cd packages/inner && pwd", description: "look" } };
  const fix = {
    name: "Bash",
    input: { command: `echo fixed > "${project.root}/status.txt"`, description: "fix" },
  };
  const session = await runClaudeCode({
    bin: claude.bin,
    project: project.root,
    turns: [{ toolUse: cd }, "Done.", { toolUse: fix }, "Fixed."],
  });

  expect(init).toMatchObject({ exitCode: 0, stderr: "" });
  expect(init.stdout).toContain("not on the PATH that hooks get");
  expect(project.read(".gauntlet/config.yml")).toContain(
    "../node_modules/agent-gauntlet/schema/config.schema.json",
  );
  const stops = session.hooks.filter(({ event }) => event === "Stop");
  expect(stops.map(({ stdout }) => (JSON.parse(stdout) as { status: string }).status)).toEqual([
    "failed",
    "passed",
  ]);
});

/** Packs what is built here and installs it as anybody would; it has no dependencies, so nothing is downloaded. */
async function installPackage(project: GauntletProject): Promise<void> {
  const tarball = packInto(project.home);
  const npm = ["npm", "install", "--save-dev", "--offline", "--no-audit", "--no-fund", tarball];
  expect(await run(npm, { cwd: project.root, env: cleanEnv(project.home) })).toMatchObject({ exitCode: 0 });
}

function npx(project: GauntletProject, ...args: readonly string[]): Promise<Finished> {
  return run(["npx", "--no-install", ...args], { cwd: project.root, env: cleanEnv(project.home) });
}
