import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../rig/temp-dir.ts";
import { CLI, GauntletProject, cleanEnv, run } from "../rig/gauntlet-project.ts";

/** The permission model, under which Node does not hand out what lies below its streams. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const PERMISSION = major > 22 || (major === 22 && minor >= 13) ? "--permission" : "--experimental-permission";

describe("a Node that does not hand out what lies below its streams, or not gladly", () => {
  test.each([
    ["refuses", [PERMISSION, "--allow-fs-read=*", "--allow-fs-write=*", "--allow-child-process"]],
    ["warns of what is deprecated, or fails", ["--pending-deprecation", "--throw-deprecation"]],
  ])("%s: the stop is answered all the same", async (_, flags) => {
    await using project = await GauntletProject.withChecks({ lint: "echo broken >&2; exit 3", ok: "true" });
    await project.write({ "a.txt": "changed\n" });

    const { exitCode, stdout, stderr } = await run([process.execPath, ...flags, CLI, "stop-hook"], {
      cwd: project.root,
      env: cleanEnv(project.home),
      stdin: JSON.stringify({ session_id: "s", cwd: project.root, hook_event_name: "Stop" }),
    });

    expect({ exitCode, answer: JSON.parse(stdout) as unknown }).toMatchObject({
      exitCode: 0,
      answer: { decision: "block", status: "failed", reason: expect.stringContaining("broken") as unknown },
    });
    expect(stderr).not.toContain("Deprecation");
  });
});

test("a Node that is too old is told from one that is not, in words", async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, "older.cjs"), "delete process.getBuiltinModule;");

  const old = await run([process.execPath, "--require", "./older.cjs", CLI, "stop-hook"], {
    cwd: dir.path,
    env: cleanEnv(dir.path),
  });

  expect(old).toMatchObject({ exitCode: 1, stdout: "" });
  expect(old.stderr).toMatch(
    /^agent-gauntlet needs Node 20\.16, 22\.3 or newer\. This is \d+\.\d+\.\d+: .*\n$/,
  );
});
