import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

test("puts the logs away, forgets failures, attempts and passes, and starts counting again", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": "max_retries: 1\ndebug_log: true\nchecks:\n  red: exit 1\n",
  });
  await project.gauntlet(["run"]);
  await project.gauntlet(["run"]);

  const clean = await project.gauntlet(["clean"]);
  const names = readdirSync(join(project.root, "gauntlet_logs")).toSorted();
  const status = await project.json(["status"]);
  const again = await project.json(["run"]);

  expect(clean).toMatchObject({
    exitCode: 0,
    stdout: "Archived 4 logs to gauntlet_logs/previous; failures and attempts are forgotten.\n",
  });
  expect(names).toEqual([".debug.log", ".gitignore", ".state", "previous"]);
  expect(readdirSync(join(project.root, "gauntlet_logs/previous")).toSorted()).toEqual([
    "check_._red.1.log",
    "check_._red.2.log",
    "console.1.log",
    "console.2.log",
  ]);
  expect(status).toMatchObject({
    lastRun: { run: 2, status: "retry_limit_exceeded" },
    lastPass: null,
    sessions: [],
  });
  expect(again).toMatchObject({ status: "failed", run: 1 });
});

test("does not let the next stop of a blocked agent go unchecked", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": "checks:\n  red: exit 1\nstop_hook:\n  when_active: enforce\n",
  });
  await project.stop();

  await project.gauntlet(["clean"]);
  const { answer } = await project.stop({ stop_hook_active: true });

  expect(answer.decision).toBe("block");
  expect(answer.systemMessage).toContain("`agent-gauntlet clean` was run in this project, and not by you");
});

test("is content with nothing to clean, and keeps what was put away before", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.write({ "a.txt": "" });
  await project.gauntlet(["run"]);
  await project.gauntlet(["clean"]);

  const again = await project.json(["clean"]);

  expect(again).toMatchObject({ command: "clean", archived: 0 });
  expect(project.has("gauntlet_logs/previous/console.1.log")).toBe(true);
});

test("outside a project it says so and exits with 1", async () => {
  await using project = await GauntletProject.create();

  expect(await project.gauntlet(["clean"])).toMatchObject({ exitCode: 1, stdout: "" });
});
