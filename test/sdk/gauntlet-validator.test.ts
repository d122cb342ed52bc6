import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { executeRun } from "../../src/engine/execute-run.ts";
import type { HookContextInit } from "../../src/sdk/index.ts";
import {
  completionTool,
  createStopHook,
  gauntletValidator,
  HookContext,
  Session,
} from "../../src/sdk/index.ts";
import { makeGauntletProject, stubEnvironment } from "./gauntlet-project.ts";
import { recordingLogger } from "./recording-logger.ts";

let directory = "";

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "sdk-gauntlet-")));
  stubEnvironment(join(directory, "no-home"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

test("blocks on a red check with the feedback that the command line gives, and allows after the fix", async () => {
  makeGauntletProject(directory);
  const rig = stopRig();

  const blocked = await rig.stop();
  const { feedback } = await executeRun({ cwd: directory });
  writeFileSync(join(directory, "answer.txt"), "42\n");
  const allowed = await rig.stop();

  expect(blocked.decision).toBe("block");
  expect(blocked.reason).toContain("error: the answer is wrong");
  expect(withoutRunNumber(blocked.reason)).toBe(withoutRunNumber(feedback));
  expect(allowed).toEqual({});
  expect(rig.warnings()).toEqual([]);
});

test("has no budget but that of the context", async () => {
  makeGauntletProject(directory, "max_retries: 1\n");
  const rig = stopRig({ maxStopRetries: 5 });

  const reasons = [await rig.stop(), await rig.stop(), await rig.stop()].map(({ reason }) => reason ?? "");

  expect(reasons.map((reason) => /Attempts left: \d/.exec(reason)?.[0])).toEqual([
    "Attempts left: 4",
    "Attempts left: 3",
    "Attempts left: 2",
  ]);
});

test("tells the agent which block is the last, and is not asked again", async () => {
  makeGauntletProject(directory);
  const rig = stopRig({ maxStopRetries: 1 });

  const answers = [await rig.stop(), await rig.stop()];

  expect(answers[0]?.reason).toContain("This was the last attempt");
  expect(answers[1]).toEqual({});
  expect(rig.warnings()).toEqual(["stop_hook.max_retries_exceeded"]);
});

test("says to a later session what it said to an earlier one", async () => {
  makeGauntletProject(directory);

  const first = await stopRig().stop();
  const second = await stopRig().stop();

  expect(withoutRunNumber(second.reason)).toBe(withoutRunNumber(first.reason));
});

test.each([
  ["there is no gauntlet", () => {}, "Not a gauntlet project"],
  [
    "the configuration is broken",
    () => {
      makeGauntletProject(directory, "entry_points: 7\n");
    },
    "Stop hook error",
  ],
])("warns and allows the stop when %s", async (_, arrange, message) => {
  arrange();
  const rig = stopRig();

  expect(await rig.stop()).toEqual({});
  expect(rig.logger.lines).toEqual([
    ["warn", "stop_hook.not_verified", { reason: expect.stringContaining(message) as string }],
  ]);
});

test("finds the project from a directory inside it", async () => {
  makeGauntletProject(directory);
  const rig = stopRig({ cwd: join(directory, ".gauntlet", "checks") });

  expect((await rig.stop()).decision).toBe("block");
});

function withoutRunNumber(text: string | undefined): string | undefined {
  return text?.replaceAll(/\.\d+\.log/g, ".N.log");
}

function stopRig(options: Partial<HookContextInit> = {}) {
  const logger = recordingLogger();
  const tools = [completionTool(gauntletValidator())];
  const context = new HookContext({ session: new Session(), tools, logger, cwd: directory, ...options });
  const hook = createStopHook(context);
  return {
    logger,
    stop: () => hook({ hook_event_name: "Stop" }, undefined, { signal: new AbortController().signal }),
    warnings: () => logger.lines.filter(([level]) => level === "warn").map(([, event]) => event),
  };
}
