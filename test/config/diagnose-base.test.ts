import { expect, test } from "vitest";
import { loadSettings } from "../../src/config/gauntlet/load.ts";
import { absolutePath } from "../../src/path.ts";
import { diagnoseBase } from "../../src/config/diagnose-base.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const CONFIG = ".gauntlet/config.yml";

async function diagnosed(project: GauntletProject, base: string | undefined) {
  const written = base === undefined ? "" : `base_branch: ${base}\n`;
  await project.write({ [CONFIG]: `${written}checks: { ok: "true" }\n` });
  const loaded = await loadSettings(absolutePath(project.root), { HOME: project.home });
  return loaded.ok ? (await diagnoseBase(loaded.value)).map(({ hint }) => hint) : "invalid";
}

test("a base branch that is not here is reported with the branch that was probably meant", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.commit("start");

  expect(await diagnosed(project, "mian")).toEqual(["did you mean `main`?"]);
  expect(await diagnosed(project, "orgin/main")).toEqual(["did you mean `main`?"]);
  expect(await diagnosed(project, "release-9")).toEqual(["`git branch --all` lists the branches"]);
  await project.git("update-ref", "refs/remotes/origin/main", "HEAD");
  expect(await diagnosed(project, "orgin/main")).toEqual(["did you mean `origin/main`?"]);
  expect(await diagnosed(project, "origin/gone")).toHaveLength(1);
});

test("nothing is said of a branch that is here, of the default, or where there is nothing to compare with", async () => {
  await using project = await GauntletProject.create({ [CONFIG]: "" });

  expect(await diagnosed(project, "mian")).toEqual([]);
  await project.commit("start");
  expect(await diagnosed(project, undefined)).toEqual([]);
  expect(await diagnosed(project, "main")).toEqual([]);
  expect(await diagnosed(project, "origin/main")).toEqual([]); // a copy without its remote
  await project.git("update-ref", "refs/remotes/origin/next", "HEAD");
  expect(await diagnosed(project, "next")).toEqual([]); // never checked out here
});
