import { expect, test } from "vitest";
import { Git, LOOK_OPTIONS } from "../../../src/machine/git/git.ts";
import { GauntletProject } from "../../rig/gauntlet-project.ts";
import { tempDir } from "../../rig/temp-dir.ts";

test("a signal ends the git it was given to, wherever that looks, and no other", async () => {
  await using dir = await tempDir();
  const cancelling = new AbortController();
  const wait = ["-c", "alias.wait=!sleep 0.1", "wait"];
  const [cancelled, other] = [new Git("/", cancelling.signal).at(dir.path), new Git(dir.path)];

  const asked = Promise.all([cancelled.ask(wait), other.ask(wait)]);
  cancelling.abort();

  expect(await asked).toMatchObject([
    { ok: true, value: { exitCode: 128, wasEnded: true } },
    { ok: true, value: { exitCode: 0, wasEnded: false } },
  ]);
});

test("what failed is named without the settings that we add", async () => {
  await using dir = await tempDir();

  const failed = await new Git(dir.path).output([...LOOK_OPTIONS, "status", "--porcelain"]);

  expect(failed).toMatchObject({
    trouble: { command: "git status --porcelain", detail: expect.stringContaining("not a git repository") },
  });
});

test("a missing file that a project names for the order of differences is no trouble", async () => {
  await using repo = await GauntletProject.create({ "a.txt": "1" });
  await repo.commit("start");
  await repo.git("config", "diff.orderFile", "missing");
  await repo.write({ "a.txt": "2" });

  expect(await new Git(repo.root).output(["diff", "HEAD"])).toMatchObject({ ok: true });
});
