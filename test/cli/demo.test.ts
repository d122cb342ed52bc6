import { execSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

test("demo shows a stop blocked, fixed and allowed, and leaves nothing behind", async () => {
  await using somewhere = await GauntletProject.create({}, { git: false });

  const done = await somewhere.gauntlet(["demo"], {
    env: { TMPDIR: somewhere.home, CI: "true", GITHUB_BASE_REF: "main" },
  });

  expect(done.exitCode).toBe(0);
  expect(done.stdout).toMatch(/block[\s\S]*add\.test\.mjs:5[\s\S]*-1 !== 5[\s\S]*approve: ✓ Gauntlet passed/);
  expect(done.stdout).not.toContain("\u001b");
  expect(readdirSync(somewhere.home)).toEqual([]);
});

test("demo works without Node on the PATH", async () => {
  await using somewhere = await GauntletProject.create({}, { git: false });
  const found = execSync("command -v sh; command -v git", { encoding: "utf8" });
  const [sh = "", git = ""] = found.split("\n");
  await symlink(sh, join(somewhere.root, "sh"));
  await symlink(git, join(somewhere.root, "git"));

  const done = await somewhere.gauntlet(["demo"], { env: { PATH: somewhere.root } });

  expect(done.exitCode).toBe(0);
  expect(done.stdout).toMatch(/block[\s\S]*add\.test\.sh:2[\s\S]*gives -1, not 5[\s\S]*approve: ✓/);
});

test("demo plays what Claude Code sends, with what init writes", async () => {
  await using somewhere = await GauntletProject.create({}, { git: false });

  const { stdout } = await somewhere.gauntlet(["demo"]);

  const events = stdout.split("\n").filter((line) => line.includes("hook_event_name"));
  expect(events.map((line) => /"stop_hook_active":(\w+)/.exec(line)?.[1])).toEqual(["false", "true"]);
  expect(stdout).toContain("    test: npm test\n");
  expect(stdout).toContain("    when_active: enforce\n    when_busy: wait\n");
});
