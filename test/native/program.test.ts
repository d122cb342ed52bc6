import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readdir, symlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { nativeFile } from "../rig/program.ts";
import { tempDir } from "../rig/temp-dir.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }; // our own

test.each([
  ["agent-gauntlet", "Usage: agent-gauntlet "],
  ["agent-gauntlet-native", "Usage: agent-gauntlet "],
  ["brepl", "Usage: brepl hook "],
  ["brepl-native", "Usage: brepl hook "],
])("started as %s it is that program, of this version", async (name, usage) => {
  await using dir = await tempDir();
  await symlink(nativeFile(), join(dir.path, name));
  const env = { ...cleanEnv(dir.path), PATH: dir.path };
  const start = (...args: readonly string[]) => run([name, ...args], { cwd: dir.path, env });

  expect((await start("--help")).stdout).toContain(usage);
  expect((await start("--version")).stdout).toBe(`${version}\n`);
});

test("built again from the same sources it is the same, byte for byte", async () => {
  await using dir = await tempDir();

  execFileSync(process.execPath, ["scripts/build-native.mjs", "--compile-only", `--out=${dir.path}`], {
    cwd: ROOT,
  });

  const again = join(dir.path, "native", basename(dirname(nativeFile())), "agent-gauntlet");
  expect(sha256(again)).toBe(sha256(nativeFile()));
});

test("neither .env nor bunfig.toml of a project configures it", async () => {
  await using project = await GauntletProject.withChecks(
    { red: "exit 1" },
    {
      ".env": "GAUNTLET_STOP_HOOK_ACTIVE=1\n",
      "bunfig.toml": 'preload = ["./preload.js"]\n',
      "preload.js": 'require("node:fs").writeFileSync("preloaded", "");\n',
      "tsconfig.json": "{ broken",
    },
  );
  await project.write({ "a.txt": "1" });

  const stdin = JSON.stringify({ session_id: "s", cwd: project.root, hook_event_name: "Stop" });
  const done = await run([nativeFile(), "stop-hook"], {
    cwd: project.root,
    env: cleanEnv(project.home),
    stdin,
  });

  expect(JSON.parse(done.stdout)).toMatchObject({ decision: "block" });
  expect(project.has("preloaded")).toBe(false);
});

test("the archive of the release installs with install.sh", async () => {
  await using dir = await tempDir();
  const release = join(ROOT, "dist/release");
  const env = { ...cleanEnv(dir.path), AGENT_GAUNTLET_DOWNLOAD: `file://${release}` };

  const done = await run(["sh", join(release, "install.sh")], { cwd: dir.path, env });

  expect(done).toMatchObject({ exitCode: 0, stderr: "" });
  const bin = join(dir.path, ".local/bin");
  expect(await readdir(bin)).toEqual(["agent-gauntlet", "agent-gauntlet-native", "brepl"]);
  expect(sha256(join(bin, "agent-gauntlet"))).toBe(sha256(nativeFile()));
  expect((await run([join(bin, "brepl"), "--help"], { cwd: bin, env })).stdout).toContain("Usage: brepl");
});

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
