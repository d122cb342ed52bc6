import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const CONFIG = `checks:
  unit:
    command: echo ran >> ../runs && test ! -e red
    inputs: ["src", "*.json"]
    env: { LEVEL: "1" }
`;

/** A project with one check that names its inputs and leaves a line outside the project each time it runs. */
async function cachingProject(): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": CONFIG,
    "src/a.ts": "1\n",
    "package.json": "{}\n",
    "README.md": "1\n",
  });
  await project.commit("start");
  await project.write({ "README.md": "2\n" });
  return project;
}

function runsOf(project: GauntletProject): number {
  return project.has("../runs") ? project.read("../runs").trim().split("\n").length : 0;
}

type Act = (project: GauntletProject) => Promise<unknown>;

const HARMLESS: Readonly<Record<string, Act>> = {
  nothing: async () => {},
  "a file that is no input": (project) => project.write({ "README.md": "3\n" }),
  "a commit": (project) => project.commit("work"),
  "the time of an input": (project) => project.write({ "src/a.ts": "1\n" }),
};

const CHANGES: Readonly<Record<string, Act>> = {
  "an input": (project) => project.write({ "src/a.ts": "2\n" }),
  "a new input": (project) => project.write({ "src/deep/new.ts": "" }),
  "an input without a slash, in any directory": (project) => project.write({ "deep/x.json": "{}" }),
  "a deleted input": (project) => rm(join(project.root, "src/a.ts")),
  "the command": (project) =>
    project.write({ ".gauntlet/config.yml": CONFIG.replace("echo ran", "echo  ran") }),
  "its environment": (project) => project.write({ ".gauntlet/config.yml": CONFIG.replace('"1"', '"2"') }),
};

describe.concurrent("a check that names its inputs", () => {
  test.for(Object.entries(HARMLESS))("is not run again after %s", async ([, act]) => {
    await using project = await cachingProject();
    await project.gauntlet(["run"]);
    await act(project);
    await project.write({ other: "1" });

    const again = await project.gauntlet(["run"]);

    expect(again.stdout).toContain("not run again: it passed with the same inputs in run 1");
    expect(again.exitCode).toBe(0);
    expect(runsOf(project)).toBe(1);
  });

  test.for(Object.entries(CHANGES))("runs again after a change of %s", async ([, act]) => {
    await using project = await cachingProject();
    await project.gauntlet(["run"]);
    await act(project);

    await project.gauntlet(["run"]);

    expect(runsOf(project)).toBe(2);
  });

  test("runs again with --no-cache", async () => {
    await using project = await cachingProject();
    await project.gauntlet(["run"]);

    await project.gauntlet(["run", "--no-cache"]);

    expect(runsOf(project)).toBe(2);
  });

  test("runs every time when no file matches its inputs, and says so", async () => {
    await using project = await cachingProject();
    await project.write({ ".gauntlet/config.yml": CONFIG.replace('"src", "*.json"', '"scr"') });
    await project.gauntlet(["run"]);

    const { stdout } = await project.gauntlet(["detect", "--why"]);
    await project.gauntlet(["run"]);

    expect(stdout).toContain("it runs every time; no file matches scr");
    expect(runsOf(project)).toBe(2);
  });

  test("runs until it passes: a failure is never kept", async () => {
    await using project = await cachingProject();
    await project.write({ red: "" });

    const first = await project.gauntlet(["run"]);
    const second = await project.gauntlet(["run"]);

    expect([first.exitCode, second.exitCode, runsOf(project)]).toEqual([1, 1, 2]);
  });

  test("is not believed when the tree changed while it ran", async () => {
    await using project = await cachingProject();
    await project.write({
      ".gauntlet/config.yml": CONFIG.replace("&& test ! -e red", "&& echo 2 > src/a.ts"),
    });
    await project.gauntlet(["run"]);
    await project.write({ "src/a.ts": "1\n" });

    await project.gauntlet(["run"]);

    expect(runsOf(project)).toBe(2);
  });

  test("lets a stop pass without running, and says so", async () => {
    await using project = await cachingProject();
    await project.gauntlet(["run"]);
    await project.write({ "README.md": "3\n" });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "approve", status: "passed" });
    expect(runsOf(project)).toBe(1);
  });

  test("believes no record inside the project and no damaged one", async () => {
    await using project = await cachingProject();
    await project.gauntlet(["run"]);
    const kept = join(
      project.home,
      ".cache/agent-gauntlet/passes",
      `${encodeURIComponent(project.root)}.json`,
    );
    await writeFile(kept, '{"check:.:unit":[null]}');

    await project.gauntlet(["run"]);

    expect(runsOf(project)).toBe(2);
  });
});

test("detect --why explains a hit and a miss", async () => {
  await using project = await cachingProject();

  const before = await project.gauntlet(["detect", "--why"]);
  await project.gauntlet(["run"]);
  const hit = await project.gauntlet(["detect", "--why"]);
  await project.write({ "src/a.ts": "2\n" });
  const miss = await project.gauntlet(["detect", "--why"]);

  expect(before.stdout).toContain("it has not passed with these inputs before");
  expect(hit.stdout).toContain("No gate would run.");
  expect(hit.stdout).toContain("it passed with the same inputs in run 1");
  expect(miss.stdout).toContain("its inputs or its definition changed since run 1");
  expect(miss.stdout).not.toContain("no file matches");
});

test("detect --why names the one glob among several that no file matches", async () => {
  await using project = await cachingProject();
  await project.write({ ".gauntlet/config.yml": CONFIG.replace('"*.json"', '"tsets", "!docs"') });

  const { stdout } = await project.gauntlet(["detect", "--why"]);

  expect(stdout).toContain("it has not passed with these inputs before; no file matches tsets");
  expect(stdout).not.toContain("docs");
});

test("where git cannot tell the files, detect --why blames no glob", async () => {
  await using project = await GauntletProject.create(
    { ".gauntlet/config.yml": CONFIG, "src/a.ts": "1\n" },
    { git: false },
  );

  const { stdout } = await project.gauntlet(["detect", "--why"]);

  expect(stdout).toContain("its inputs cannot be determined, so it runs every time");
  expect(stdout).not.toContain("no file matches");
});
