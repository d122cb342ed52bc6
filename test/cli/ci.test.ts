import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET } from "../rig/program.ts";

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const CONFIG = `base_branch: main
checks:
  good: echo good >> ../runs
  "it's \\"odd\\" $(touch hacked)": echo odd >> ../runs
  bad: "false"
`;

/** A change of a project with three checks, one of which has a name that a shell would like to run. */
async function changed(): Promise<GauntletProject> {
  const project = await GauntletProject.create({ ".gauntlet/config.yml": CONFIG, a: "1" });
  await project.commit("start");
  await project.git("switch", "--quiet", "--create", "work");
  await project.write({ a: "2" });
  await project.commit("work");
  return project;
}

/** Runs a shell step of the workflow as GitHub's runner does. */
async function play(project: GauntletProject, script: string, env: Readonly<Record<string, string>>) {
  const output = join(project.root, "../output");
  writeFileSync(output, "");
  mkdirSync(join(project.root, "../temp"), { recursive: true });
  const done = await run(["bash", "-e", "-c", script], {
    cwd: project.root,
    env: {
      ...cleanEnv(project.home),
      CI: "true",
      GAUNTLET: GAUNTLET.join(" "),
      GITHUB_OUTPUT: output,
      RUNNER_TEMP: join(project.root, "../temp"),
      ...env,
    },
  });
  const outputs = readFileSync(output, "utf8").trim().split("\n");
  return { ...done, outputs: Object.fromEntries(outputs.map((line) => line.split(/=(.*)/s).slice(0, 2))) };
}

function stepsOf(project: GauntletProject): (job: string, name: string) => string {
  const workflow = parse(project.read(".github/workflows/gauntlet.yml")) as Workflow;
  return (job, name) => workflow.jobs[job]?.steps.find((step) => step.name === name)?.run ?? "missing";
}

describe("ci init", () => {
  test("writes a workflow whose steps plan, run each gate once, and sum up", async () => {
    await using project = await changed();
    await project.gauntlet(["ci", "init"]);
    const step = stepsOf(project);

    const plan = await play(project, step("plan", "Find the gates that are not proven"), {
      BASE: "0".repeat(40),
    });
    const { include } = JSON.parse(plan.outputs["matrix"] ?? "") as {
      include: readonly { name: string; gates: string }[];
    };
    const ran = [];
    for (const { gates } of include)
      ran.push(await play(project, step("gates", "Run the gates"), { GATES: gates, BASE: "" }));
    const sums = await Promise.all(
      [
        { PLAN: "success", GATES: "success", COUNT: "3" },
        { PLAN: "success", GATES: "skipped", COUNT: "0" },
        { PLAN: "success", GATES: "skipped", COUNT: "3" },
        { PLAN: "success", GATES: "failure", COUNT: "3" },
        { PLAN: "failure", GATES: "skipped", COUNT: "" },
        { PLAN: "success", GATES: "cancelled", COUNT: "3" },
      ].map(async (env) => (await play(project, step("gauntlet", "Sum up"), env)).exitCode),
    );

    expect(plan).toMatchObject({ exitCode: 0, outputs: { count: "3", base: "" } });
    expect(include.map(({ name }) => name)).toEqual(["good", `it's "odd" $(touch hacked)`, "bad"]);
    expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 0, 1]);
    expect(project.read("../runs")).toBe("good\nodd\n");
    expect(project.has("hacked")).toBe(false);
    for (const name of ["gauntlet.sarif", "gauntlet.html", "gauntlet.xml"])
      expect(project.has(`../temp/gauntlet/${name}`)).toBe(true);
    expect(sums).toEqual([0, 0, 1, 1, 1, 1]);
  });

  test("leaves nothing behind where the disk is full", async () => {
    await using project = await changed();

    const done = await run(["bash", "-c", `trap '' XFSZ; ulimit -f 1; exec ${GAUNTLET.join(" ")} ci init`], {
      cwd: project.root,
      env: cleanEnv(project.home),
    });

    expect(done).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Cannot write") });
    expect(project.has(".github/workflows/gauntlet.yml")).toBe(false);
  });

  test("leaves a workflow alone that is there, and says what is wrong elsewhere", async () => {
    await using project = await changed();
    await project.write({ ".github/workflows/gauntlet.yml": "mine" });
    await using empty = await GauntletProject.create();

    const there = await project.gauntlet(["ci", "init"]);
    const dry = await project.gauntlet(["ci", "init", "--dry-run"]);
    const none = await empty.gauntlet(["ci", "init"]);

    expect([there.exitCode, dry.exitCode, none.exitCode]).toEqual([1, 0, 1]);
    expect(there.stderr).toContain("left as it is");
    expect(project.read(".github/workflows/gauntlet.yml")).toBe("mine");
    expect(parse(dry.stdout)).toMatchObject({ name: "gauntlet" });
    expect(none.stderr).toContain("agent-gauntlet init");
  });
});

describe("ci plan", () => {
  test("after a push it compares with what was there before, and has the runs do so too", async () => {
    await using project = await changed();
    await project.git("switch", "--quiet", "main");
    await project.git("merge", "--quiet", "--ff-only", "work");
    const before = (await project.git("rev-parse", "HEAD^")).trim();

    const plan = await project.json(["ci", "plan", "--base", before]);

    expect(plan).toMatchObject({ command: "ci", base: before, baseCommit: before, proven: [] });
    expect(plan["gates"]).toHaveLength(3);
  });

  test("on the base branch itself it compares with the commit before", async () => {
    await using project = await changed();
    await project.git("branch", "--force", "main");

    const plan = await project.json(["ci", "plan"]);

    expect(plan["base"]).toBe((await project.git("rev-parse", "HEAD^")).trim());
    expect(plan["gates"]).toHaveLength(3);
  });

  test("in a shallow clone nothing is taken for unchanged that is only not there", async () => {
    await using project = await changed();
    await project.git("clone", "--quiet", "--depth=1", `file://${project.root}`, "../clone");
    const clone = project.at("../clone");

    const unsure = await clone.gauntlet(["ci", "plan"]);
    await clone.git("symbolic-ref", "--delete", "refs/remotes/origin/HEAD");
    const whole = await clone.json(["ci", "plan"]);

    expect(unsure).toMatchObject({ exitCode: 1, stdout: "" });
    expect(unsure.stderr).toContain("fetch-depth: 0");
    expect(whole["gates"]).toHaveLength(3);
  });

  test("what this machine itself remembers proves nothing", async () => {
    await using project = await changed();
    await project.write({
      ".gauntlet/config.yml": `base_branch: main\nchecks: { unit: { command: "true", inputs: [a] } }\n`,
    });
    await project.commit("inputs");
    await project.gauntlet(["run"]);

    const plan = await project.json(["ci", "plan"]);

    expect(plan).toMatchObject({ gates: [{ id: "check:.:unit" }], proven: [] });
  });

  test("an unknown base is said, and outside of a project too", async () => {
    await using project = await changed();
    await using empty = await GauntletProject.create();

    const unknown = await project.gauntlet(["ci", "plan", "--base", "nonsense"]);
    const none = await empty.json(["ci", "plan"]);

    expect(unknown).toMatchObject({ exitCode: 1, stdout: "" });
    expect(unknown.stderr).toContain('does not know the revision "nonsense"');
    expect(none).toMatchObject({ command: "ci", status: "no_config" });
  });
});
