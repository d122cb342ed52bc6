import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const CONFIG = ".gauntlet/config.yml";

test("validate, doctor and run warn of it; a stop does not look", async () => {
  await using project = await GauntletProject.create({
    [CONFIG]: 'base_branch: mian\nchecks: { ok: "true" }\n',
  });
  await project.commit("start");
  await project.write({ "a.txt": "" });
  const words =
    "config.yml:1:14: `base_branch`: mian does not exist in this repository → did you mean `main`?";

  const [validate, doctor, run] = await Promise.all(
    ["validate", "doctor", "run"].map((command) => project.gauntlet([command])),
  );

  expect(validate).toMatchObject({ exitCode: 0, stdout: "All config files are valid.\n" });
  expect(validate?.stderr).toContain("config.yml:1:14: warning: `base_branch`: mian does not exist");
  expect(doctor?.stdout).toContain(`! .gauntlet/${words}`);
  expect(run?.stdout).toContain(`[WARN] .gauntlet/${words}`);
  expect((await project.stop()).answer.systemMessage).toBeUndefined();
});
