import { describe, expect, test } from "vitest";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET_LINE, IS_NATIVE } from "../rig/program.ts";

describe.concurrent("list", () => {
  test("shows every entry point with its gates, as configured", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": [
        "cli: { default_preference: [claude, codex] }",
        "checks:",
        '  lint: { command: "eslint .\\necho done", warn_only: true }',
        "entry_points:",
        "  - { path: app, exclude: ['**/*.md', docs], checks: [lint, test], reviews: [quality] }",
        "  - { path: 'packages/*', checks: [test] }",
      ].join("\n"),
      ".gauntlet/checks/test.yml": "command: npm test\n",
      ".gauntlet/reviews/quality.md": "---\nnum_reviews: 1\n---\nLook well.\n",
    });

    const done = await project.gauntlet(["list"]);

    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    expect(done.stdout).toBe(`app without **/*.md, docs
  check lint  eslint .  (warns only)
  check test  npm test
  review quality  by claude, codex
packages/*
  check test  npm test
`);
  });

  test("works from any directory of the project and without git", async () => {
    await using project = await GauntletProject.withChecks({ test: "npm test" }, { "deep/er/x": "" });
    await using plain = await GauntletProject.create(
      { ".gauntlet/config.yml": "checks: { a: b }\n" },
      { git: false },
    );

    expect((await project.gauntlet(["list"], { cwd: `${project.root}/deep/er` })).stdout).toBe(
      ".\n  check test  npm test\n",
    );
    expect((await plain.gauntlet(["list"])).stdout).toBe(".\n  check a  b\n");
  });

  test("tells warnings on stderr and still lists", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks: { a: b }\nmax_retrys: 3\n",
    });

    const done = await project.gauntlet(["list"]);

    expect(done).toMatchObject({ exitCode: 0, stdout: ".\n  check a  b\n" });
    expect(done.stderr).toContain("config.yml:2:1: warning:");
  });

  test("ends quietly when its reader has gone", async () => {
    const checks = Object.fromEntries(
      Array.from({ length: 1500 }, (_, index) => [`check-${index}`, "x".repeat(100)]),
    );
    await using project = await GauntletProject.withChecks(checks);

    const done = await run(["sh", "-c", `${GAUNTLET_LINE} list | head -n 1`], {
      cwd: project.root,
      env: cleanEnv(project.home),
    });

    expect(done).toMatchObject({ exitCode: 0, stdout: ".\n", stderr: "" });
  });
});

/** Bun refuses to start in such a directory, before any code of ours runs (1.4.4). */
test.skipIf(IS_NATIVE)("a directory deleted under our feet still belongs to its project", async () => {
  await using project = await GauntletProject.withChecks({ test: "npm test" });
  const script = `mkdir "$0/gone" && cd "$0/gone" && rmdir "$0/gone" && exec ${GAUNTLET_LINE} list`;

  const done = await run(["sh", "-c", script, project.root], {
    cwd: project.root,
    env: cleanEnv(project.home),
  });

  expect(done).toMatchObject({ exitCode: 0, stdout: ".\n  check test  npm test\n", stderr: "" });
});
