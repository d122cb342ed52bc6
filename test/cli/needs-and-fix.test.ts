import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

interface RunJson {
  readonly status: string;
  readonly outcomes: readonly { readonly name: string; readonly outcome: string; readonly detail?: string }[];
}

async function outcomesOf(project: GauntletProject, ...args: string[]): Promise<Record<string, string>> {
  const { outcomes } = (await project.json(["run", ...args])) as unknown as RunJson; // the schema is tested elsewhere
  return Object.fromEntries(outcomes.map(({ name, outcome }) => [name, outcome]));
}

describe("needs", () => {
  const CONFIG = `
max_parallel: 2
checks:
  e2e: { command: test -e built, needs: [build, soft] }
  build: { command: test ! -e broken && touch built, needs: [types] }
  types: test ! -e broken
  soft: { command: exit 1, warn_only: true }
`;

  test("a gate starts when what it needs has passed; a need that only warns lets it run", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": CONFIG,
      ".gitignore": "built\n",
    });

    expect(await outcomesOf(project)).toEqual({
      e2e: "passed",
      build: "passed",
      types: "passed",
      soft: "failed",
    });
  });

  test("a failed need skips what needs it, with the reason; one that is not planned holds up nothing", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": CONFIG,
      ".gitignore": "built\n",
      broken: "",
    });

    const run = await project.gauntlet(["run"]);
    const alone = await outcomesOf(project, "-g", "build");

    expect(run.stdout).toContain("[SKIP] build skipped: it needs types, which did not pass");
    expect(run.stdout).toContain("[SKIP] e2e skipped: it needs build, which did not pass");
    expect(run.stdout).toContain("1 failed · 1 with a warning · 2 skipped");
    expect(alone).toEqual({ build: "failed" });
  });

  test("a need that no gate has the name of, and a circle, are errors with their places", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "checks:\n  a: { command: x, needs: [b] }\n  b: { command: x, needs: [a] }\n  c: { command: x, needs: [bb] }\n  delta: { command: x, needs: [deltas] }\n",
    });

    const { stdout, stderr, exitCode } = await project.gauntlet(["validate"]);

    expect(exitCode).toBe(1);
    expect(stdout + stderr).toMatch(/config\.yml:2:\d+: error: `a` and `b` need each other/);
    expect(stdout + stderr).toMatch(/config\.yml:4:\d+: error: there is no gate `bb`\n[^]*did you mean `b`/);
    expect(stdout + stderr).toMatch(/there is no gate `deltas`\n.*\n.*\n {2}→ known gates: a, b, c\n/);
  });
});

describe("fix", () => {
  const CONFIG = `
stop_hook: { when_active: enforce, defer: false }
checks:
  format: { command: "! grep -n bad {files}", fix: "sed -i s/bad/good/ {files}", files: ["*.txt"] }
  test: grep -q good a.txt
`;

  test("a check that fails is fixed, the fixed files are judged, and the user sees what changed", async () => {
    await using project = await GauntletProject.create({ ".gauntlet/config.yml": CONFIG, "a.txt": "bad\n" });

    const { answer } = await project.stop();
    const again = await project.stop();

    expect(answer).toMatchObject({ decision: "approve", status: "passed" });
    expect(answer.systemMessage).toContain("`sed -i s/bad/good/ {files}` (format) changed a.txt.");
    expect(project.read("a.txt")).toBe("good\n");
    expect(again.answer.message).toContain("passed");
    expect(again.stderr).not.toContain("[START]");
  });

  test("a blocked agent reads what was changed", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": CONFIG.replace("grep -q good a.txt", "exit 1"),
      "a.txt": "bad\n",
      "b.txt": "fine\n",
    });

    const { answer } = await project.stop();

    expect(answer.decision).toBe("block");
    expect(JSON.stringify(answer)).toContain(
      "(format) changed a.txt. Read these files again before you edit them.",
    );
  });

  test("a fix that does not help leaves the failure of the check, and runs once", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "checks:\n  a: { command: exit 1, fix: echo once >> ../fixed.log }\n  b: echo b >> ../b.log\n",
    });

    const run = await project.gauntlet(["run"]);

    expect(run.exitCode).toBe(1);
    expect([project.read("../fixed.log"), project.read("../b.log")]).toEqual(["once\n", "b\n"]);
  });

  test.each([
    ["in plan mode", { permission_mode: "plan" }, {}],
    ["in CI", {}, { CI: "true" }],
  ])("nothing is edited %s", async (_when, event, env) => {
    await using project = await GauntletProject.create({ ".gauntlet/config.yml": CONFIG, "a.txt": "bad\n" });

    const { answer } = await project.stop(event, { env });

    expect(answer.decision).toBe("block");
    expect(project.read("a.txt")).toBe("bad\n");
  });

  test("waits for what the check needs, and is not run where that fails", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "checks:\n  build: exit 1\n  lint: { command: exit 1, fix: touch ../fixed, needs: [build] }\n",
    });

    expect(await outcomesOf(project)).toEqual({ build: "failed", lint: "skipped" });
    expect(project.has("../fixed")).toBe(false);
  });

  test("that does not help still ends the sequence of a check with fail_fast", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:
  before: { command: "true", parallel: false }
  lint: { command: exit 1, fix: "true", parallel: false, fail_fast: true }
  test: { command: "true", parallel: false }
`,
    });

    expect(await outcomesOf(project)).toEqual({ before: "passed", lint: "failed", test: "skipped" });
  });

  test("--no-fix edits nothing", async () => {
    await using project = await GauntletProject.create({ ".gauntlet/config.yml": CONFIG, "a.txt": "bad\n" });

    expect(await outcomesOf(project, "--no-fix")).toEqual({ format: "failed", test: "failed" });
    expect(project.read("a.txt")).toBe("bad\n");
  });
});
