import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Git, LOOK_OPTIONS } from "../../../src/system/git/git.ts";
import { GauntletProject } from "../../rig/gauntlet-project.ts";
import { tempDir } from "../../rig/temp-dir.ts";
import { openTree } from "../../rig/work-tree.ts";

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

test("what git says of itself is about the repository alone", async () => {
  await using repo = await GauntletProject.create({ "a.txt": "1" });
  await repo.commit("start");

  const asked = await new Git(repo.root).ask(["log", "--oneline"]);

  expect(asked).toMatchObject({ value: { exitCode: 0, stderr: "" } });
});

test("a missing file that a project names for the order of differences is no trouble", async () => {
  await using repo = await GauntletProject.create({ "a.txt": "1" });
  await repo.commit("start");
  await repo.git("config", "diff.orderFile", "missing");
  await repo.write({ "a.txt": "2" });

  expect(await new Git(repo.root).output(["diff", "HEAD"])).toMatchObject({ ok: true });
});

test("a hook that settings define is not run when git writes an index", async ({ skip }) => {
  await using repo = await GauntletProject.create({ "a.txt": "1" });
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(await repo.git("--version")) ?? [];
  skip(
    Number(major) * 1000 + Number(minor) < 2055,
    "git before 2.55 cannot switch off such hooks, or has none",
  );
  await repo.git("config", "hook.trap.event", "post-index-change");
  await repo.git("config", "hook.trap.command", "touch ran");

  await new Git(repo.root).output(["add", "a.txt"]);

  expect(await repo.git("ls-files")).toBe("a.txt\n");
  expect(existsSync(join(repo.root, "ran"))).toBe(false);
});

test("what a partial clone lacks is not fetched to find renames", async () => {
  await using repo = await GauntletProject.create({ "a.txt": "1\n2\n3\n", "b.txt": "4\n5\n6\n" });
  await repo.commit("start");
  await repo.git("checkout", "--quiet", "-b", "work");
  const [a = "", b = ""] = (await repo.git("rev-parse", ":a.txt", ":b.txt")).split("\n");
  await repo.git("mv", "a.txt", "moved-a.txt");
  await repo.write({ "moved-a.txt": "1\n2\n3\n7\n" });
  await repo.commit("move one");
  await repo.git("mv", "b.txt", "moved-b.txt");
  await repo.write({ "moved-b.txt": "4\n5\n6\n7\n" });
  await repo.git("add", "--all");
  for (const id of [a, b]) await rm(join(repo.root, ".git/objects", id.slice(0, 2), id.slice(2)));
  await repo.git("config", "core.sshCommand", "touch ran; false");
  await repo.git("config", "remote.origin.url", "ssh://nowhere.invalid/x");
  await repo.git("config", "remote.origin.promisor", "true");
  await using tree = await openTree(repo.root);

  const detected = await tree.changes();

  const files = detected.ok
    ? detected.value.changes.files.map(({ path, change }) => `${change} ${path}`)
    : [];
  expect(files.toSorted()).toEqual([
    "added moved-a.txt",
    "added moved-b.txt",
    "deleted a.txt",
    "deleted b.txt",
  ]);
  expect(existsSync(join(repo.root, "ran"))).toBe(false);
});
