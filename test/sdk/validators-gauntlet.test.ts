import { join } from "node:path";
import { expect, test } from "vitest";
import {
  type HookContextInit,
  completionTool,
  createStopHook,
  gauntletValidator,
  HookContext,
  Session,
} from "../../src/sdk/index.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { stubEnvironment } from "../rig/stub-environment.ts";
import { recordingLogger } from "./recording-logger.ts";

const CHECKS = { answer: "grep -x 42 answer.txt || { echo 'error: the answer is wrong'; exit 1; }" };

test("blocks on a red check with the words of the stop hook, and allows after the fix", async () => {
  await using project = await redProject("stop_hook: { when_active: enforce }\n");
  const rig = stopRig(project);

  const blocked = await rig.stop();
  const { answer } = await project.stop();
  await project.write({ "answer.txt": "42\n" });
  const allowed = await rig.stop();

  expect(blocked.decision).toBe("block");
  expect(blocked.reason).toContain("error: the answer is wrong");
  expect(withoutRunNumber(blocked.reason)).toBe(withoutRunNumber(answer.reason));
  expect(allowed).toEqual({});
  expect(rig.warnings()).toEqual([]);
});

test("has no budget but that of the context", async () => {
  await using project = await redProject("max_retries: 1\n");
  const rig = stopRig(project, { maxStopRetries: 5 });

  const reasons = [await rig.stop(), await rig.stop(), await rig.stop()].map(({ reason }) => reason ?? "");

  expect(reasons.map((reason) => /Attempt \d of \d/.exec(reason)?.[0])).toEqual([
    "Attempt 1 of 5",
    "Attempt 2 of 5",
    "Attempt 3 of 5",
  ]);
});

test("tells the agent which block is the last, and is not asked again", async () => {
  await using project = await redProject();
  const rig = stopRig(project, { maxStopRetries: 1 });

  const answers = [await rig.stop(), await rig.stop()];

  expect(answers[0]?.reason).toContain("Attempt 1 of 1. If you cannot fix it, stop and tell the user");
  expect(answers[1]).toEqual({});
  expect(rig.warnings()).toEqual(["stop_hook.max_retries_exceeded"]);
});

test("tells each session everything, and again at each stop", async () => {
  await using project = await redProject();
  const [one, other] = [stopRig(project), stopRig(project)];

  const reasons = [await one.stop(), await one.stop(), await other.stop()].map(({ reason }) => reason ?? "");

  expect(reasons[1]).toContain("same output as before");
  expect(withoutRunNumber(reasons[2])).toBe(withoutRunNumber(reasons[0]));
});

test.each([
  ["there is no gauntlet", {}, "Not a gauntlet project"],
  ["the configuration is broken", { ".gauntlet/config.yml": "entry_points: 7\n" }, "Stop hook error"],
])("warns and allows the stop when %s", async (_, files, message) => {
  await using project = await GauntletProject.create(files);
  const rig = stopRig(project);

  expect(await rig.stop()).toEqual({});
  expect(rig.logger.lines).toEqual([
    ["warn", "stop_hook.not_verified", { reason: expect.stringContaining(message) as string }],
  ]);
});

test("finds the project from a directory inside it", async () => {
  await using project = await redProject();
  const rig = stopRig(project, { cwd: join(project.root, ".gauntlet") });

  expect((await rig.stop()).decision).toBe("block");
});

async function redProject(config = ""): Promise<GauntletProject> {
  const project = await GauntletProject.withChecks(CHECKS, { ".gitignore": "gauntlet_logs/\n" });
  await project.write({
    ".gauntlet/config.yml": project.read(".gauntlet/config.yml") + config,
    "answer.txt": "41\n",
  });
  return project;
}

function withoutRunNumber(text: string | undefined): string | undefined {
  return text?.replaceAll(/\.\d+\.log/g, ".N.log");
}

function stopRig(project: GauntletProject, options: Partial<HookContextInit> = {}) {
  stubEnvironment(project.home);
  const logger = recordingLogger();
  const tools = [completionTool(gauntletValidator())];
  const context = new HookContext({ session: new Session(), tools, logger, cwd: project.root, ...options });
  const hook = createStopHook(context);
  return {
    logger,
    stop: () => hook({ hook_event_name: "Stop" }, undefined, { signal: new AbortController().signal }),
    warnings: () => logger.lines.filter(([level]) => level === "warn").map(([, event]) => event),
  };
}
