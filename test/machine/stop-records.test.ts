import { mkdir, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { absolutePath } from "../../src/core/path.ts";
import type { StopRecord } from "../../src/core/stop-record.ts";
import { readStopRecords, writeStopRecord } from "../../src/machine/stop-records.ts";
import { tempDir } from "../rig/temp-dir.ts";

function record(sessionId: string, at = 1): StopRecord {
  return {
    at,
    event: { host: "codex", sessionId, cwd: absolutePath("/p"), continued: false, backgroundTasks: [] },
    verdict: { decision: "allow", status: "passed", message: "fine" },
    answer: { stdout: "{}\n", exitCode: 0 },
  };
}

test("keeps the last stop of each session, the newest first", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };

  writeStopRecord(record("a", 1), env);
  writeStopRecord(record("b", 2), env);
  writeStopRecord(record("a", 3), env);

  expect(readStopRecords(env).map(({ at, event }) => [event.sessionId, at])).toEqual([
    ["a", 3],
    ["b", 2],
  ]);
});

test("is for its owner's eyes only", async () => {
  await using home = await tempDir();
  writeStopRecord(record("a"), { XDG_STATE_HOME: home.path });

  const directory = join(home.path, "agent-gauntlet/stops");
  const [file = ""] = await readdir(directory);

  expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
});

test("is written over, whatever is in its place", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };
  const path = join(home.path, "agent-gauntlet/stops/a.json");
  const long = record("a");
  writeStopRecord({ ...long, answer: { ...long.answer, stdout: "x".repeat(5000) } }, env);

  writeStopRecord(long, env);
  expect(readStopRecords(env)).toMatchObject([long]);

  await writeFile(join(home.path, "elsewhere"), "untouched");
  await rm(path);
  await symlink(join(home.path, "elsewhere"), path);
  writeStopRecord(long, env);
  expect(readStopRecords(env)).toMatchObject([long]);
  expect(await readFile(join(home.path, "elsewhere"), "utf8")).toBe("untouched");
});

test("does not grow without end", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };

  for (let session = 0; session < 130; session++) writeStopRecord(record(`s${session}`), env);

  expect(readStopRecords(env).length).toBeLessThanOrEqual(100);
});

test("passes over files that cannot be trusted, and over a place that cannot be written", async () => {
  await using home = await tempDir();
  const directory = join(home.path, "agent-gauntlet/stops");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "cut.json"), '{"version":1,"at":');
  await writeFile(join(directory, "other.json"), '{"version":9,"at":1,"event":{},"verdict":{},"answer":{}}');
  await writeFile(join(home.path, "file"), "");

  writeStopRecord(record("a"), { XDG_STATE_HOME: join(home.path, "file") });

  expect(readStopRecords({ XDG_STATE_HOME: home.path })).toEqual([]);
  expect(readStopRecords({ XDG_STATE_HOME: join(home.path, "nowhere") })).toEqual([]);
});
