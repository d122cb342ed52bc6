import { writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PassRecord, RunRecord } from "../../src/stop/passes.ts";
import {
  readLastRun,
  readWorkTree,
  writeLastRun,
  readPass,
  writePass,
} from "../../src/stop/work-tree-store.ts";
import { projectPath } from "../../src/path.ts";
import { projectStateDir } from "../../src/system/state/state-keys.ts";
import { tempDir } from "../rig/temp-dir.ts";

const LAST_RUN: RunRecord = {
  number: 3,
  completedAt: 1_700_000_000_000,
  merged: false,
  outcomes: [
    {
      kind: "passed",
      id: "check:.:test",
      gate: "check",
      name: "test",
      scope: projectPath("."),
      workingDirectory: projectPath("."),
      warnOnly: false,
      durationMs: 5,
    },
  ],
};
const PASS: PassRecord = {
  runNumber: 3,
  indexName: "f",
  key: { gates: "g", environment: "e", programs: "p" },
  passed: [],
  status: "passed",
  at: 1_700_000_000_000,
};
test("what is written is read again, and nothing else is left behind", async () => {
  await using dir = await tempDir();

  writeLastRun(dir.path, LAST_RUN);

  expect(readLastRun(dir.path)).toEqual({ value: LAST_RUN });
  expect(await readdir(dir.path)).toEqual(["last-run.json"]);
});

test("nothing written is nothing known, without a warning", async () => {
  await using dir = await tempDir();

  expect(readWorkTree(join(dir.path, "projects/x"))).toEqual({ value: {} });
});

describe("counts as absent, with a warning", () => {
  const DAMAGE: Readonly<Record<string, (text: string) => string>> = {
    "an empty file": () => "",
    "a file cut off": (text) => text.slice(0, -20),
    "bytes that are no text": () => "\0\0\0",
    null: () => "null",
    "a list": () => "[]",
    "an older version": (text) => text.replace('"version":3', '"version":0'),
    "a newer version": (text) => text.replace('"version":3', '"version":9'),
    "no version": (text) => text.replace('"version":3,', ""),
    "a date in the future": (text) =>
      text.replace(/"writtenAt":\d+/, `"writtenAt":${Date.now() + 3_600_000}`),
    "no date": (text) => text.replace(/"writtenAt":\d+,/, ""),
    "no state": (text) => text.replace('"state"', '"other"'),
    "an outcome nobody knows": (text) => text.replace('"kind":"passed"', '"kind":"splendid"'),
    "a run that is no number": (text) => text.replace('"number":3', '"number":"3"'),
    "a run with a huge number": (text) => text.replace('"number":3', '"number":1e300'),
    "a moment that is none": (text) => text.replace(/"completedAt":\d+/, '"completedAt":1e300'),
    "outcomes that are no list": (text) => text.replace(/"outcomes":\[.*\]/, '"outcomes":{}'),
  };

  test.each(Object.entries(DAMAGE))("%s", async (_, damage) => {
    await using dir = await tempDir();
    writeLastRun(dir.path, LAST_RUN);
    const path = join(dir.path, "last-run.json");
    const text = await readFile(path, "utf8");
    const damaged = damage(text);
    await writeFile(path, damaged);

    const read = readLastRun(dir.path);

    expect(damaged).not.toBe(text);
    expect(read).toEqual({ value: undefined, warning: expect.stringContaining(path) as string });
  });

  test("a directory in its place", async () => {
    await using dir = await tempDir();
    await mkdir(join(dir.path, "last-run.json"));

    expect(readLastRun(dir.path).warning).toContain("last-run.json");
  });

  test("a clock that is a little ahead elsewhere is fine", async () => {
    await using dir = await tempDir();
    writeLastRun(dir.path, LAST_RUN);
    const path = join(dir.path, "last-run.json");
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace(/"writtenAt":\d+/, `"writtenAt":${Date.now() + 30_000}`));

    expect(readLastRun(dir.path)).toEqual({ value: LAST_RUN });
  });
});

const keepNothing = (): undefined => undefined;

function keep(path: string): string {
  writeFileSync(path, "index");
  return "hash";
}

describe("the last pass", () => {
  test("is read again beside the last run, and only its own index stays", async () => {
    await using dir = await tempDir();
    const passDir = projectStateDir("/a/project", { XDG_STATE_HOME: dir.path });
    writeLastRun(passDir, LAST_RUN);

    writePass(passDir, { ...PASS, indexName: "older" }, keep);
    const written = writePass(passDir, PASS, keep);

    expect(written.ok).toBe(true);
    expect(readWorkTree(passDir)).toEqual({
      value: { lastRun: LAST_RUN, pass: { ...PASS, index: "hash" } },
    });
    expect((await readdir(passDir)).toSorted()).toEqual(["last-run.json", "pass-f.index", "pass.json"]);
  });

  test("belongs to one path", async () => {
    await using dir = await tempDir();
    const env = { XDG_STATE_HOME: dir.path };
    writePass(projectStateDir("/a/project", env), PASS, keepNothing);

    expect(readPass(projectStateDir("/a/project2", env))).toEqual({ value: undefined });
  });

  test("is kept for the projects that passed last", async () => {
    await using dir = await tempDir();
    const env = { XDG_STATE_HOME: dir.path };
    for (let one = 0; one <= 201; one++)
      writePass(projectStateDir(`/project-${one}`, env), PASS, keepNothing);

    expect((await readdir(join(dir.path, "agent-gauntlet/projects"))).length).toBeLessThan(202);
    expect(readPass(projectStateDir("/project-201", env)).value).toEqual(PASS);
  });

  test("that cannot be written is trouble", async () => {
    await using dir = await tempDir();
    await writeFile(join(dir.path, "file"), "");

    expect(writePass(join(dir.path, "file/projects/x"), PASS, keepNothing).ok).toBe(false);
  });

  const DAMAGE: Readonly<Record<string, (text: string) => string>> = {
    "an older version": (text) => text.replace('"version":1', '"version":0'),
    "a newer version": (text) => text.replace('"version":1', '"version":9'),
    "a pass at no moment": (text) => text.replace(/"at":\d+/, '"at":null'),
    "a pass that failed": (text) => text.replace('"status":"passed"', '"status":"failed"'),
    "a pass for no tree": (text) => text.replace('"indexName":"f"', '"indexName":7'),
    "a pass for a tree elsewhere": (text) => text.replace('"indexName":"f"', '"indexName":"../f"'),
  };

  test.each(Object.entries(DAMAGE))("counts as absent, with a warning: %s", async (_, damage) => {
    await using dir = await tempDir();
    writePass(dir.path, PASS, keepNothing);
    const path = join(dir.path, "pass.json");
    const text = await readFile(path, "utf8");
    await writeFile(path, damage(text));

    expect(damage(text)).not.toBe(text);
    expect(readPass(dir.path)).toEqual({
      value: undefined,
      warning: expect.stringContaining(path) as string,
    });
  });
});

test("a run that cannot be written is trouble that says why", async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, "file"), "");

  const written = writeLastRun(join(dir.path, "file"), LAST_RUN);

  expect(written).toMatchObject({ ok: false, trouble: { kind: "file-failed", action: "write" } });
});
