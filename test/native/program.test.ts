import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readdir, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { cleanEnv, CLI, GauntletProject, run } from "../rig/gauntlet-project.ts";
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

test("a relative HOME brings nothing of ours into the project", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.write({ "a.txt": "1" });

  await run([nativeFile(), "run"], { cwd: project.root, env: { ...cleanEnv(project.home), HOME: "home" } });

  expect(project.has("gauntlet_logs")).toBe(true);
  expect(project.has("home")).toBe(false);
});

test("both programs work over one state: passes, attempts and the ledger are common", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": 'base_branch: main\nchecks: { test: "test ! -e bad" }\n',
  });
  await project.commit("start");
  const stop = async (program: readonly string[], event: object = {}) => {
    const payload = { session_id: "s", hook_event_name: "Stop", cwd: project.root, ...event };
    const [file = "", ...args] = program;
    const done = await run([file, ...args, "stop-hook"], {
      cwd: project.root,
      env: cleanEnv(project.home),
      stdin: JSON.stringify(payload),
    });
    return JSON.parse(done.stdout) as Record<string, string>;
  };
  const node = [process.execPath, CLI];
  const native = [nativeFile()];

  await project.write({ bad: "" });
  const blocked = [await stop(node), await stop(native), await stop(node)];
  const gaveUp = await stop(native);
  await rm(join(project.root, "bad"));
  await project.write({ good: "" });
  const passed = await stop(native);
  const reused = await stop(node);

  expect(blocked.map(({ decision }) => decision)).toEqual(["block", "block", "block"]);
  expect(gaveUp["status"]).toBe("retry_limit_exceeded");
  expect([passed["status"], reused["message"]]).toEqual([
    "passed",
    expect.stringContaining("nothing changed since run"),
  ]);
  expect((await project.json(["log", "--check"]))["check"]).toMatchObject({ lines: 6, broken: null });
});
