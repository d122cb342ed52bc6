import { expect, test } from "vitest";
import { asUser } from "../rig/as-user.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { HAS_PYTHON } from "../rig/live-terminal.ts";

const FILES = {
  ".gauntlet/config.yml": "extends: shared/gauntlet.yml\nchecks: { own: 'true' }\n",
  "shared/gauntlet.yml": "checks: { team: 'true' }\n",
};

test("a gate that is changed in what is extended is shown to the user of the session", async () => {
  await using project = await GauntletProject.create(FILES);
  await project.commit("start");
  await project.write({ "a.txt": "" });
  await project.stop();

  await project.write({ "shared/gauntlet.yml": "checks: { team: 'echo weaker' }\n" });
  const { answer } = await project.stop();

  expect(answer.systemMessage).toMatch(/team[^]*echo weaker/);
});

test.runIf(HAS_PYTHON)("what is extended is part of what was allowed", async () => {
  await using project = await GauntletProject.create(FILES);
  await project.write({ "a.txt": "" });
  const stop = async (): Promise<unknown> => {
    const stdin = JSON.stringify({ session_id: "one", cwd: project.root, hook_event_name: "Stop" });
    const { stdout } = await project.gauntlet(["stop-hook", "--only-allowed"], { stdin });
    return (JSON.parse(stdout) as { status: string }).status;
  };

  await asUser(project, "y", "allow");
  const allowed = await stop();
  await project.write({ "shared/gauntlet.yml": "checks: { team: 'touch ../ran' }\n" });
  await stop();

  expect(allowed).toBe("passed");
  expect(project.has("../ran")).toBe(false);
});
