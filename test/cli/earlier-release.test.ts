import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { cleanEnv, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET } from "../rig/program.ts";
import { tempDir } from "../rig/temp-dir.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const FIXTURES = join(ROOT, "test/fixtures");
const RELEASES = readdirSync(FIXTURES).filter((name) => /^release-.*\.json$/.test(name));

interface Recorded {
  readonly version: string;
  readonly machine: string;
  readonly files: Readonly<Record<string, string>>;
}

/** The machine as it was left, at the place where it was: state belongs to a place. */
async function restored(file: string) {
  const { version, machine, files } = JSON.parse(readFileSync(file, "utf8")) as Recorded; // as our script writes it
  await rm(machine, { recursive: true, force: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(machine, name)), { recursive: true, mode: 0o700 });
    await writeFile(join(machine, name), Buffer.from(content, "base64"), { mode: 0o600 });
  }
  const cwd = join(machine, "project");
  const at = "2026-01-01T00:00:00Z";
  const env = {
    ...cleanEnv(join(machine, "home")),
    GIT_AUTHOR_DATE: at,
    GIT_COMMITTER_DATE: at,
  };
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", ".gauntlet"],
    ["commit", "--quiet", "--message", "start"],
  ])
    await run(["git", ...args], { cwd, env });
  return {
    version,
    write: (name: string, text: string) => writeFile(join(cwd, name), text),
    gauntlet: (...args: readonly string[]) => run([...GAUNTLET, ...args], { cwd, env }),
    stop: async () => {
      const stdin = JSON.stringify({ session_id: "recorded", cwd, hook_event_name: "Stop" });
      const { stdout } = await run([...GAUNTLET, "stop-hook"], { cwd, env, stdin });
      return JSON.parse(stdout) as Record<string, string>;
    },
    [Symbol.asyncDispose]: () => rm(machine, { recursive: true, force: true }),
  };
}

/** The releases there were, and what this program itself writes. */
test.skipIf(process.platform !== "linux")(
  "what an earlier release left is read or left, and nothing of it is lost",
  async () => {
    await using dir = await tempDir();
    const own = join(dir.path, "own.json");
    const record = [join(ROOT, "scripts/record-release.mjs"), own, `--at=${join(dir.path, "machine")}`];
    execFileSync(process.execPath, [...record, ...GAUNTLET]);

    for (const file of [...RELEASES.map((name) => join(FIXTURES, name)), own]) {
      await using machine = await restored(file);

      const log = JSON.parse((await machine.gauntlet("log", "--json")).stdout) as { verdicts: unknown[] };
      const checked = await machine.gauntlet("log", "--check");
      const status = await machine.gauntlet("status");
      const explained = await machine.gauntlet("explain");
      const blocked = await machine.stop();
      await machine.write("fixed", "");
      const allowed = await machine.stop();
      const later = JSON.parse((await machine.gauntlet("log", "--json")).stdout) as { verdicts: unknown[] };

      expect((await machine.gauntlet("validate")).exitCode).toBe(0);
      expect([log.verdicts.length, later.verdicts.length], machine.version).toEqual([3, 5]);
      expect(checked).toMatchObject({ exitCode: 0, stderr: "" });
      expect(status).toMatchObject({ stdout: expect.stringContaining("Run 3: Failed"), stderr: "" });
      expect(explained.stdout).toContain("Blocked (failed)");
      expect([blocked["decision"], allowed["decision"]]).toEqual(["block", "approve"]);
      expect([blocked["status"], allowed["status"]]).toEqual(["failed", "passed"]);
    }
  },
);
