import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const CONFIG =
  "max_retries: 1\nstop_hook: { when_active: enforce }\nchecks: { lint: exit 1, test: exit 1 }\n";

test("on_give_up is run once, when a stop is let through although gates fail, and knows which", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": `${CONFIG}on_give_up: echo "$GAUNTLET_FAILED by $GAUNTLET_SESSION" >> ../told.txt\n`,
  });

  const blocked = await project.stop();
  const isTooEarly = project.has("../told.txt");
  const letThrough = await project.stop({ stop_hook_active: true });
  await project.stop({ stop_hook_active: true }); // nothing has changed since
  await project.gauntlet(["run"]);

  expect([blocked.answer.decision, isTooEarly, letThrough.answer.decision]).toEqual([
    "block",
    false,
    "approve",
  ]);
  expect(project.read("../told.txt")).toBe("lint test by session-1\n");
});

test("an on_give_up that fails changes nothing", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": `${CONFIG.replace("1", "0")}on_give_up: echo noise; exit 3\n`,
  });
  await project.commit("start");
  await project.write({ "a.txt": "" });

  const { answer, stdout } = await project.stop();

  expect(answer.decision).toBe("approve");
  expect(answer.status).toBe("retry_limit_exceeded");
  expect(stdout).not.toContain("noise");
});
