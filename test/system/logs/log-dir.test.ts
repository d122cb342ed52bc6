import { mkdirSync, readdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { absolutePath, projectPath } from "../../../src/path.ts";
import { explain } from "../../../src/trouble.ts";
import {
  archiveLogs,
  forgetState,
  type LogDir,
  logDirOf,
  makeRoomForRun,
  prepareLogDir,
  sweepDrafts,
  takeGateLog,
} from "../../../src/system/logs/log-dir.ts";
import { tempDir } from "../../rig/temp-dir.ts";

async function logDir(...files: readonly string[]): Promise<LogDir> {
  const dir = await tempDir();
  onTestFinished(() => dir[Symbol.asyncDispose]());
  const logs = logDirOf(absolutePath(dir.path), projectPath("logs"));
  prepareLogDir(logs);
  for (const name of files) writeFileSync(join(logs.path, name), name);
  return logs;
}

function names(logs: LogDir): readonly string[] {
  return readdirSync(logs.path).filter((name) => !name.startsWith("."));
}

test("git ignores the directory, and an existing .gitignore stays", async () => {
  const logs = await logDir(".gitignore");

  prepareLogDir(logs);

  expect(statSync(join(logs.path, ".gitignore")).size).toBe(".gitignore".length);
});

describe("a log directory that cannot be made is trouble in words", () => {
  test.each([
    ["a file", "write to", (path: string) => writeFileSync(path, "")],
    ["a dangling link", "use", (path: string) => symlinkSync("/nowhere/at/all", path)],
    ["a link to itself", "use", (path: string) => symlinkSync(path, path)],
  ])("%s is in its place", async (_, action, occupy) => {
    await using dir = await tempDir();
    occupy(join(dir.path, "logs"));

    const prepared = prepareLogDir(logDirOf(absolutePath(dir.path), projectPath("logs")));

    expect(prepared.ok).toBe(false);
    const words = new RegExp(`^Cannot ${action} the log directory \\S+logs: [a-z]`);
    expect(prepared.ok ? "" : explain(prepared.trouble)).toMatch(words);
  });
});

test("the next run has one more than the highest number of any log or the last known run", async () => {
  const logs = await logDir("console.3.log", "check_a.12.log", "review_x.7.log", "app.99.log", "x.log");

  expect(makeRoomForRun(logs)).toBe(13);
  expect(makeRoomForRun(logs, 40)).toBe(41);
});

test("gates whose ids make the same name get a name each, however long", async () => {
  const logs = await logDir();
  const long = "x".repeat(300);

  const taken = ["check:a/b:c", "check:a_b:c", "check:a b:c", `check:${long}:1`, `check:${long}:2`].map(
    (id) => takeGateLog(logs.path, id, 4).name,
  );

  expect(taken.slice(0, 3)).toEqual(["check_a_b_c.4.log", "check_a_b_c-2.4.log", "check_a_b_c-3.4.log"]);
  expect(new Set(taken).size).toBe(5);
  expect(names(logs).toSorted()).toEqual(taken.toSorted());
});

test("logs of runs before the last 20, the next among them, are dropped; other files are not ours to touch", async () => {
  const logs = await logDir(
    ...Array.from({ length: 30 }, (_, index) => `console.${index + 1}.log`),
    "notes.txt",
  );

  makeRoomForRun(logs);

  expect(names(logs)).toHaveLength(20);
  expect(names(logs)).toContain("console.12.log");
  expect(names(logs)).not.toContain("console.11.log");
  expect(names(logs)).toContain("notes.txt");
});

test("the last run stays even if it alone is more than 200 MB", async () => {
  const logs = await logDir("console.1.log", "check_a.2.log", "console.2.log");
  truncateSync(join(logs.path, "check_a.2.log"), 201 * 1024 * 1024);

  makeRoomForRun(logs);

  expect(names(logs).toSorted()).toEqual(["check_a.2.log", "console.2.log"]);
});

test("a run of more than 200 MB stays only while it is the last one", async () => {
  const logs = await logDir("check_a.2.log", "console.2.log");
  truncateSync(join(logs.path, "check_a.2.log"), 201 * 1024 * 1024);
  makeRoomForRun(logs);
  writeFileSync(join(logs.path, "console.3.log"), "light");

  makeRoomForRun(logs);

  expect(names(logs)).toContain("console.3.log");
  expect(names(logs)).not.toContain("check_a.2.log");
});

test("a log that is a link to itself or to something heavy weighs next to nothing", async () => {
  const logs = await logDir("console.1.log", "console.2.log");
  writeFileSync(join(logs.stateDir, "heavy"), "");
  truncateSync(join(logs.stateDir, "heavy"), 201 * 1024 * 1024);
  symlinkSync("check_a.2.log", join(logs.path, "check_a.2.log"));
  symlinkSync(join(logs.stateDir, "heavy"), join(logs.path, "check_b.2.log"));

  expect(makeRoomForRun(logs)).toBe(3);
  expect(names(logs)).toContain("console.1.log");
});

test("archiving moves every log to previous/, whose earlier content goes", async () => {
  const logs = await logDir("console.2.log", "check_a.2.log", "notes.txt", ".debug.log");
  mkdirSync(join(logs.path, "previous"));
  writeFileSync(join(logs.path, "previous/console.1.log"), "");

  const archived = archiveLogs(logs);

  expect(archived).toEqual({ ok: true, value: 2 });
  expect(readdirSync(join(logs.path, "previous")).toSorted()).toEqual(["check_a.2.log", "console.2.log"]);
  expect(readdirSync(logs.path).toSorted()).toEqual([
    ".debug.log",
    ".gitignore",
    ".state",
    "notes.txt",
    "previous",
  ]);
});

test("only names we give are logs: a file of another program stays, in previous/ too", async () => {
  const logs = await logDir(
    "console.1.log",
    "app.1.log",
    "metrics.3.json",
    "checks.2.log",
    "review_x.5.json",
  );
  mkdirSync(join(logs.path, "previous/deep"), { recursive: true });
  writeFileSync(join(logs.path, "previous/thesis.txt"), "");
  writeFileSync(join(logs.path, "previous/app.0.log"), "");

  archiveLogs(logs);

  expect(names(logs).toSorted()).toEqual([
    "app.1.log",
    "checks.2.log",
    "metrics.3.json",
    "previous",
    "review_x.5.json",
  ]);
  expect(readdirSync(join(logs.path, "previous")).toSorted()).toEqual([
    "app.0.log",
    "console.1.log",
    "deep",
    "thesis.txt",
  ]);
});

test("archiving nothing keeps what was archived before", async () => {
  const logs = await logDir("console.2.log");
  archiveLogs(logs);

  expect(archiveLogs(logs)).toEqual({ ok: true, value: 0 });
  expect(readdirSync(join(logs.path, "previous"))).toEqual(["console.2.log"]);
});

test("forgetting keeps one session if asked, nothing otherwise", async () => {
  const logs = await logDir();
  for (const name of ["session-a.json", "session-b.json"]) writeFileSync(join(logs.stateDir, name), "");

  forgetState(logs, "a");
  const kept = readdirSync(logs.stateDir);
  forgetState(logs);

  expect(kept).toEqual(["session-a.json"]);
  expect(readdirSync(logs.stateDir)).toEqual([]);
});

test("forgetting leaves what is not state of ours", async () => {
  const logs = await logDir();
  writeFileSync(join(logs.stateDir, "notes.txt"), "");

  forgetState(logs);

  expect(readdirSync(logs.stateDir)).toEqual(["notes.txt"]);
});

test("sweeping removes drafts of state and nothing else", async () => {
  const logs = await logDir();
  for (const name of ["session-a.json", "session-a.json.0a1b2c.tmp"])
    writeFileSync(join(logs.stateDir, name), "");

  sweepDrafts(logs);

  expect(readdirSync(logs.stateDir)).toEqual(["session-a.json"]);
});
