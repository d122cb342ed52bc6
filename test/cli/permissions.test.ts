import { execFileSync } from "node:child_process";
import { chmod, mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { CLI, cleanEnv, type Finished, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { lastRunFile } from "../rig/state-files.ts";
import { canBeUnprivileged, OWNER, UNPRIVILEGED } from "../rig/unprivileged.ts";

describe.runIf(canBeUnprivileged())("what may not be read or written is called that", () => {
  test.each<[what: string, path: string, mode: number, message: string]>([
    ["a log directory", "gauntlet_logs", 0o555, "Cannot write to the log directory"],
    ["the directory that is to hold it", ".", 0o555, "Cannot write to the log directory"],
    [".gauntlet", ".gauntlet", 0o000, ".gauntlet/config.yml: error: cannot be read"],
  ])("%s", async (_, ...[path, mode, message]) => {
    await using project = await GauntletProject.withChecks({ ok: "true" });
    await mkdir(join(project.root, "gauntlet_logs"), { recursive: true });
    if (path === ".") execFileSync("rm", ["-r", join(project.root, "gauntlet_logs")]);

    const done = await asNobody(project, { path, mode }, "run");

    expect(done.exitCode).toBe(1);
    expect(done.stderr).toContain(message);
    expect(done.stderr).toContain("permission denied");
  });

  test.each(["sub", "sub/inner"])("the working directory %s", async (workingDirectory) => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  here: { command: "true", working_directory: ${workingDirectory} }\n`,
      "sub/inner/a.txt": "",
    });

    const ran = await asNobody(project, { path: "sub", mode: 0 }, "run");
    const validated = await asNobody(project, { path: "sub", mode: 0 }, "validate");

    expect(ran.stdout).toContain(
      `could not run: the working directory ${workingDirectory} cannot be entered: permission denied`,
    );
    expect(validated.stderr).toContain(
      `warning: the working directory \`${workingDirectory}\` cannot be entered: permission denied`,
    );
  });

  test("state", async () => {
    await using project = await GauntletProject.withChecks({ ok: "true" });
    await project.write({ a: "1" });
    await project.gauntlet(["run"]);

    const done = await asNobody(
      project,
      { path: relative(project.root, lastRunFile(project)), mode: 0 },
      "status",
    );

    expect(done.stderr).toContain("last-run.json: permission denied.");
  });
});

/** Runs a command as a user who may do what the mode of one path allows. */
async function asNobody(
  project: GauntletProject,
  { path, mode }: { readonly path: string; readonly mode: number },
  command: string,
): Promise<Finished> {
  const outer = join(project.root, "..");
  if (OWNER !== undefined) execFileSync("chown", ["-R", String(OWNER), outer]);
  await chmod(join(project.root, path), mode);
  try {
    const env = cleanEnv(project.home);
    return await run([...UNPRIVILEGED, process.execPath, CLI, command], { cwd: project.root, env });
  } finally {
    await chmod(join(project.root, path), 0o755);
  }
}
