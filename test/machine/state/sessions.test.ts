import { readdirSync } from "node:fs";
import { readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { absolutePath } from "../../../src/core/path.ts";
import type { SessionRecord } from "../../../src/core/record/session-record.ts";
import { changeSessions, startOver } from "../../../src/machine/state/change-sessions.ts";
import {
  listSessionRecords,
  readSessionRecord,
  writeSessionRecord,
} from "../../../src/machine/state/sessions.ts";
import { tempDir } from "../../rig/temp-dir.ts";

const named = (sessionId: string) => ({ sessionId, cwd: "/p" });

function stopped(sessionId: string, at = 1): SessionRecord {
  return {
    told: [],
    lastStop: {
      at,
      door: "stop-hook",
      event: { host: "codex", sessionId, cwd: absolutePath("/p"), continued: false, backgroundTasks: [] },
      verdict: { decision: "allow", status: "passed", message: "fine" },
      answer: { stdout: "{}\n", exitCode: 0 },
    },
  };
}

test("each session has one record, and the one that stopped last is listed first", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };

  writeSessionRecord(named("a"), stopped("a", 1), env);
  writeSessionRecord(named("b"), stopped("b", 2), env);
  writeSessionRecord(named("a"), stopped("a", 3), env);

  expect(listSessionRecords(env)).toEqual([stopped("a", 3), stopped("b", 2)]);
  expect(readSessionRecord(named("b"), env)).toEqual(stopped("b", 2));
  expect(readSessionRecord(named("c"), env)).toBeUndefined();
});

const START = { root: "/p", at: 1 };
const { lastStop: STOP } = stopped("a");

test.each<[string, object]>([
  ["a start's tree", { starts: [{ ...START, tree: {} }] }],
  ["a start's gates", { starts: [{ ...START, gates: 1 }] }],
  ["a start's hooks", { starts: [{ ...START, hooks: [null] }] }],
  ["what git overlooked", { starts: [{ ...START, overlooking: [{}] }] }],
  ["what was asked", { asked: { skip: 1 } }],
  ["the prompt of a block", { blocked: { whenActive: "enforce", root: "/p", attempts: 1, promptId: 1 } }],
  ["a stop's directory", { lastStop: { ...STOP, event: { ...STOP?.event, cwd: 0 } } }],
  ["a stop's time", { lastStop: { ...STOP, at: 1e300 } }],
  [
    "a stop's outcomes",
    { lastStop: { ...STOP, run: { files: [], planned: [], skipped: [], outcomes: [1] } } },
  ],
])("a record in which %s is not as we write it counts as absent", async (_what, damage) => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };
  writeSessionRecord(named("a"), { ...stopped("a"), ...damage }, env);

  expect(readSessionRecord(named("a"), env)).toBeUndefined();
});

test("only its owner can read it", async () => {
  await using home = await tempDir();
  writeSessionRecord(named("a"), stopped("a"), { XDG_STATE_HOME: home.path });

  const directory = join(home.path, "agent-gauntlet/sessions");
  const [file = ""] = await readdir(directory);

  expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
});

test("a link in its place is replaced, not followed", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };
  writeSessionRecord(named("a"), stopped("a"), env);
  const directory = join(home.path, "agent-gauntlet/sessions");
  const [file = ""] = await readdir(directory);
  await writeFile(join(home.path, "elsewhere"), "untouched");
  await rm(join(directory, file));
  await symlink(join(home.path, "elsewhere"), join(directory, file));

  writeSessionRecord(named("a"), stopped("a"), env);

  expect(readSessionRecord(named("a"), env)).toEqual(stopped("a"));
  expect(await readFile(join(home.path, "elsewhere"), "utf8")).toBe("untouched");
});

test("the oldest records are dropped", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };

  for (let session = 0; session < 130; session++)
    writeSessionRecord(named(`s${session}`), stopped(`s${session}`), env);

  expect(listSessionRecords(env).length).toBeLessThanOrEqual(100);
});

test("starting over forgets the blocks of one project and nothing else", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };
  const blocked = { root: "/p", whenActive: "enforce" as const, attempts: 2 };
  writeSessionRecord(named("here"), { ...stopped("here"), blocked }, env);
  writeSessionRecord(named("there"), { told: [], blocked: { ...blocked, root: "/q" } }, env);

  startOver("/p", env, undefined);

  expect(readSessionRecord(named("here"), env)).toEqual({ ...stopped("here"), isEnforced: true });
  expect(readSessionRecord(named("there"), env)?.blocked?.root).toBe("/q");
});

test("starting over is noted in the sessions of the project where it was not the user's doing", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };
  const blocked = { root: "/q", whenActive: "enforce" as const, attempts: 2 };
  writeSessionRecord(named("here"), { told: [], root: "/p", blocked }, env);
  writeSessionRecord(named("begun"), { told: [], starts: [{ root: "/p", at: 1 }] }, env);
  writeSessionRecord(named("there"), { told: [], root: "/q" }, env);

  startOver("/p", env, 7);

  expect(readSessionRecord(named("here"), env)).toMatchObject({ cleaned: 7, blocked });
  expect(readSessionRecord(named("begun"), env)).toMatchObject({ cleaned: 7 });
  expect(readSessionRecord(named("there"), env)).not.toHaveProperty("cleaned");
});

test("the records of other sessions are changed under a lock, which is free afterwards", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };
  const directory = join(home.path, "agent-gauntlet/sessions");
  writeSessionRecord(named("a"), stopped("a"), env);
  const seen: string[][] = [];

  for (const told of ["one", "other"])
    changeSessions(env, (record) => {
      seen.push(readdirSync(directory).filter((name) => name.startsWith(".lock")));
      return { ...record, told: [...record.told, told] };
    });

  expect(seen).toEqual([[`.lock.${process.pid}`], [`.lock.${process.pid}`]]);
  expect(readSessionRecord(named("a"), env)?.told).toEqual(["one", "other"]);
});

test("files that cannot be trusted count as absent, and a place that cannot be written costs nothing", async () => {
  await using home = await tempDir();
  const directory = join(home.path, "agent-gauntlet/sessions");
  writeSessionRecord(named("a"), stopped("a"), { XDG_STATE_HOME: home.path });
  const [file = ""] = readdirSync(directory).filter((name) => name.endsWith(".json"));
  const whole = await readFile(join(directory, file), "utf8");
  for (const version of [0, 99])
    await writeFile(
      join(directory, `${version}.json`),
      whole.replace(/"version":\d+/, `"version":${version}`),
    );
  await rm(join(directory, file));
  await writeFile(join(directory, "cut.json"), whole.slice(0, whole.length / 2));
  await writeFile(join(home.path, "file"), "");

  writeSessionRecord(named("a"), stopped("a"), { XDG_STATE_HOME: join(home.path, "file") });

  expect(listSessionRecords({ XDG_STATE_HOME: home.path })).toEqual([]);
  expect(listSessionRecords({ XDG_STATE_HOME: join(home.path, "nowhere") })).toEqual([]);
});
