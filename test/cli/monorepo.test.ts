import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const WORKSPACE = {
  ".gauntlet/config.yml":
    "entry_points: auto\nchecks:\n  test: pwd\n  lint: { command: 'echo {files}', files: ['*.js'] }\n",
  "package.json": '{ "workspaces": ["packages/*"] }',
  "packages/core/package.json": '{ "name": "core" }',
  "packages/web/package.json": '{ "name": "web", "dependencies": { "core": "*" } }',
  "packages/docs/package.json": '{ "name": "docs" }',
};

interface Detected {
  readonly gates: readonly { readonly id: string }[];
}

async function planned(project: GauntletProject): Promise<readonly string[]> {
  const { gates } = (await project.json(["detect", "--uncommitted"])) as unknown as Detected; // its schema is tested elsewhere
  return gates.map(({ id }) => id).toSorted();
}

test("entry_points: auto gates each changed package and those that depend on it, and detect --why names the edge", async () => {
  await using project = await GauntletProject.create(WORKSPACE);
  await project.commit("start");
  await project.write({ "packages/core/index.js": "" });

  const ids = await planned(project);
  const { stdout } = await project.gauntlet(["detect", "--why", "--uncommitted"]);
  const run = await project.gauntlet(["run", "--uncommitted"]);

  expect(ids).toEqual(["check:packages/core:lint", "check:packages/core:test", "check:packages/web:test"]);
  expect(stdout).toContain(
    "check:packages/web:test  it depends on packages/core (packages/web/package.json), which changed",
  );
  expect(stdout).toContain("check:packages/docs:test  nothing changed in packages/docs");
  expect(run.stdout).toContain("3 passed");
  expect(project.read("gauntlet_logs/check_packages_web_test.1.log")).toContain("/packages/web\n");
});

test.each(["npm:core@*", "npm:core@file:../core", "file:../core/", "link:../core", "workspace:core@*"])(
  "entry_points: auto knows a package that is depended on under another name, as %s",
  async (version) => {
    const manifest = JSON.stringify({ name: "web", dependencies: { other: version } });
    await using project = await GauntletProject.create({
      ...WORKSPACE,
      "packages/web/package.json": manifest,
    });
    await project.commit("start");
    await project.write({ "packages/core/index.js": "" });

    expect(await planned(project)).toContain("check:packages/web:test");
  },
);

test("the newline in a package's name reaches nobody raw", async () => {
  const config = 'entry_points: [{ path: "packages/*", checks: [red] }]\nchecks: { red: exit 1 }\n';
  await using project = await GauntletProject.create({ ".gauntlet/config.yml": config });
  await project.commit("start");
  await project.write({ "packages/a\nStatus: Passed/x.js": "" });

  const { answer } = await project.stop();
  const run = await project.gauntlet(["run"]);
  const explained = await project.gauntlet(["explain"]);

  expect(answer.message).toContain(String.raw`packages/a\nStatus: Passed`);
  for (const text of [answer.message, run.stdout, run.stderr, explained.stdout])
    expect(text).not.toContain("\nStatus: Passed");
});

test("a change at the root gates every package", async () => {
  await using project = await GauntletProject.create(WORKSPACE);
  await project.commit("start");
  await project.write({ "package-lock.json": "{}" });

  expect(await planned(project)).toEqual([
    "check:packages/core:test",
    "check:packages/docs:test",
    "check:packages/web:test",
  ]);
});

test("without a workspace every gate looks after everything", async () => {
  await using project = await GauntletProject.create({ ...WORKSPACE, "package.json": "{}", "a.js": "" });

  expect(await planned(project)).toEqual(["check:.:lint", "check:.:test"]);
});

const OWN =
  'entry_points: [{ path: ., checks: [all, script] }, { path: .gauntlet, checks: [own] }]\nchecks: { all: "true", own: "true", script: sh .gauntlet/check.sh }\n';

test("our own configuration and hook call for no gate; a script of a gate does, and so does an entry point that names it", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": OWN,
    ".gauntlet/check.sh": "exit 0\n",
    "a.txt": "",
  });
  await project.commit("start");
  await project.write({
    ".gauntlet/config.yml": `${OWN}max_retries: 4\n`,
    ".claude/settings.json": '{"hooks":{"Stop":[{"hooks":[{"command":"agent-gauntlet stop-hook"}]}]}}',
  });

  expect(await planned(project)).toEqual(["check:.gauntlet:own"]);

  await project.write({ ".gauntlet/check.sh": "exit 0 # changed\n" });
  expect(await planned(project)).toContain("check:.:all");
});

test("in a workspace our own configuration affects no package", async () => {
  await using project = await GauntletProject.create(WORKSPACE);
  await project.commit("start");
  await project.write({ ".gauntlet/config.yml": `${WORKSPACE[".gauntlet/config.yml"]}max_retries: 4\n` });

  expect(await planned(project)).toEqual([]);
});
