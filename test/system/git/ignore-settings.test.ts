import { appendFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changedIgnoreSettings, ignoreSettingsFiles } from "../../../src/system/git/ignore-settings.ts";
import { GauntletProject } from "../../rig/gauntlet-project.ts";

test.for<[how: string, act: (repo: GauntletProject) => unknown, changed: readonly string[]]>([
  ["nothing", () => {}, []],
  ["other settings", (repo) => repo.git("config", "branch.main.remote", "origin"), []],
  ["where hooks are", (repo) => repo.git("config", "core.hooksPath", ".husky"), []],
  [
    "a file that is written again as it was",
    (repo) => utimesSync(join(repo.root, ".git/info/exclude"), 1, 1),
    [],
  ],
  [
    "a list of excluded files",
    (repo) => repo.git("config", "core.excludesFile", "../list"),
    ["project/.git/config"],
  ],
  ["what is in such a list", (repo) => appendFileSync(join(repo.home, "ignored"), "b\n"), ["home/ignored"]],
  [
    "the user's attributes",
    (repo) => repo.write({ "../home/.config/git/attributes": "* filter=x\n" }),
    ["home/.config/git/attributes"],
  ],
  ["settings elsewhere", (repo) => repo.git("config", "include.path", "../more"), ["project/.git/config"]],
])("%s", async ([, act, changed]) => {
  await using repo = await GauntletProject.create({
    ".git/info/exclude": "x\n",
    "../home/.gitconfig": "[core]\n\texcludesFile = ~/ignored\n",
    "../home/ignored": "a\n",
  });
  const gitDir = join(repo.root, ".git");
  const places = { top: repo.root, prefix: "", gitDir, commonDir: gitDir, index: "", objects: "" };
  const before = ignoreSettingsFiles(places, { HOME: repo.home });

  await act(repo);

  const found = changedIgnoreSettings(before).map(({ path }) => path.slice(join(repo.root, "../").length));
  expect(found).toEqual(changed);
});
