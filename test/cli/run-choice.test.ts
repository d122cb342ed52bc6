import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const PACKAGES = {
  ".gauntlet/config.yml":
    "checks:\n  list: 'echo {files} > listed.txt'\n  test: test ! -e broken\n" +
    "entry_points:\n  - path: packages/*\n    checks: [list, test]\n",
  ".gitignore": "listed.txt\n",
  "packages/a/a.txt": "",
  "packages/b/b.txt": "",
};

interface RunJson {
  readonly status: string;
  readonly message: string;
  readonly outcomes: readonly { readonly id: string }[];
}

async function runJson(project: GauntletProject, ...args: string[]): Promise<RunJson> {
  return (await project.json(["run", ...args])) as unknown as RunJson; // the schema of the output is tested elsewhere
}

function idsOf({ outcomes }: RunJson): readonly string[] {
  return outcomes.map(({ id }) => id).toSorted();
}

/** What `detect` says would run. */
async function wouldRun(project: GauntletProject, ...args: string[]): Promise<readonly string[]> {
  const { gates } = (await project.json(["detect", ...args])) as { gates: readonly { id: string }[] };
  return gates.map(({ id }) => id).toSorted();
}

describe("which gates a user runs", () => {
  test("--all runs every check of every child although nothing changed; -g and --skip choose among them by glob", async () => {
    await using project = await GauntletProject.create(PACKAGES);
    await project.commit("start");

    const all = await runJson(project, "--all", "--uncommitted");
    const chosen = ["--all", "-g", "packages/b*", "--skip", "list"];
    const some = await runJson(project, ...chosen);

    expect(await wouldRun(project, "--all", "--uncommitted")).toEqual(idsOf(all));
    expect(await wouldRun(project, ...chosen)).toEqual(idsOf(some));
    expect(idsOf(all)).toEqual([
      "check:packages/a:list",
      "check:packages/a:test",
      "check:packages/b:list",
      "check:packages/b:test",
    ]);
    expect(project.read("packages/b/listed.txt")).toBe("b.txt\n");
    expect(idsOf(some)).toEqual(["check:packages/b:test"]);
    expect(some.message).toContain("only what was asked for ran: test");
  });

  test("--failed runs what failed in the last run, by hook or by hand, until nothing is left", async () => {
    await using project = await GauntletProject.create(PACKAGES);
    await project.commit("start");
    await project.write({ "packages/a/broken": "", "packages/b/new.txt": "" });
    await project.stop();
    const told = await wouldRun(project, "--failed");

    const red = await runJson(project, "--failed");
    expect(told).toEqual(idsOf(red));
    await project.git("clean", "-fdq", "packages/a");
    const green = await runJson(project, "--failed");
    const none = await runJson(project, "--failed");

    expect([red.status, idsOf(red)]).toEqual(["failed", ["check:packages/a:test"]]);
    expect([green.status, idsOf(green)]).toEqual(["passed", ["check:packages/a:test"]]);
    expect(none).toMatchObject({ status: "no_applicable_gates" });
    expect(none.message).toContain("no gate failed in the last run");
  });

  test("a run that left a gate out does not count as a pass of the tree", async () => {
    await using project = await GauntletProject.create(PACKAGES);
    await project.commit("start");
    await project.write({ "packages/a/broken": "" });

    const skipped = await project.gauntlet(["run", "--skip", "test"]);
    const stop = await project.stop();

    expect(skipped.exitCode).toBe(0);
    expect(stop.answer.decision).toBe("block");
  });

  test("a gate that cannot be meant is an error with a suggestion", async () => {
    await using project = await GauntletProject.create(PACKAGES);

    const run = await project.gauntlet(["run", "--skip", "tset"]);

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("did you mean `test`?");
  });
});
