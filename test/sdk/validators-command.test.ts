import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type CompletionValidator,
  type ToolContext,
  commandValidator,
  completionTool,
  createStopHook,
  HookContext,
  Session,
} from "../../src/sdk/index.ts";
import { isAlive } from "../../src/system/process/group.ts";
import { recordingLogger } from "./recording-logger.ts";

let directory = "";

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "sdk-command-")));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

test("is content when the command exits with 0", async () => {
  expect(await ask(commandValidator({ command: "echo fine; exit 0" }))).toEqual({
    complete: true,
    reason: "`echo fine; exit 0` passed",
  });
});

test("shows what a failing command printed, on either stream", async () => {
  const answer = await ask(commandValidator({ command: "echo one; echo two >&2; exit 3" }));

  expect(answer.complete).toBe(false);
  expect(answer.reason).toMatch(
    /^`echo one.*` failed with exit code 3\. It printed:\n(?:one\ntwo|two\none)$/,
  );
});

test("says so when a failing command printed nothing", async () => {
  expect(await ask(commandValidator({ command: "false" }))).toEqual({
    complete: false,
    reason: "`false` failed with exit code 1. It printed nothing.",
  });
});

test("counts an unknown command of the shell as failed", async () => {
  const answer = await ask(commandValidator({ command: "no-such-program-here" }));

  expect(answer).toMatchObject({
    complete: false,
    reason: expect.stringContaining("exit code 127") as string,
  });
});

/** The second is a real-time signal, which Node reports as exit code 0. */
const SIGNALS = process.platform === "linux" ? ["SEGV", "35"] : ["SEGV"];

test.each(SIGNALS)("counts a command that was killed by %s as failed", async (signal) => {
  const answer = await ask(commandValidator({ command: `kill -${signal} $$` }));

  expect(answer).toMatchObject({
    complete: false,
    reason: expect.stringContaining("killed by") as string,
  });
});

test("runs a program without a shell when given its arguments", async () => {
  const command = ["node", "-e", "console.log(process.argv[1]); process.exit(1)", "$HOME; echo no"] as const;

  const answer = await ask(commandValidator({ command }));

  expect(answer.reason).toContain("It printed:\n$HOME; echo no");
});

test("runs in the given directory, or else where the agent works", async () => {
  const here = { cwd: directory };

  expect(
    (await ask(commandValidator({ command: "pwd; false", ...here }), { cwd: tmpdir() })).reason,
  ).toContain(`\n${directory}`);
  expect((await ask(commandValidator({ command: "pwd; false" }), here)).reason).toContain(`\n${directory}`);
});

test("ends a command that runs too long, with everything it started", async () => {
  const command = "sleep 600 & echo $! > child.pid; sleep 600";

  const answer = await ask(commandValidator({ command, cwd: directory, timeout: 0.3 }));

  expect(answer).toMatchObject({
    complete: false,
    reason: expect.stringContaining("did not end within 0.3 s") as string,
  });
  expect(isAlive(Number(readFileSync(join(directory, "child.pid"), "utf8")))).toBe(false);
});

test("ends the command and lets the agent stop when the hook is aborted", async () => {
  writeFileSync(join(directory, "pipe.sh"), "echo $$ > self.pid; echo started; exec sleep 600");
  const controller = new AbortController();
  const logger = recordingLogger();
  const validator = commandValidator({
    command: "sh pipe.sh | { read line; kill -USR2 $ASKER; sleep 600; }",
  });
  const asking: CompletionValidator = (params, options) => {
    process.env["ASKER"] = String(process.pid);
    return validator(params, options);
  };
  process.once("SIGUSR2", () => controller.abort());
  const context = new HookContext({
    session: new Session(),
    tools: [completionTool(asking)],
    logger,
    cwd: directory,
  });

  const answer = await createStopHook(context)({ hook_event_name: "Stop" }, undefined, controller);

  expect(answer).toEqual({});
  expect(logger.lines.map(([, event]) => event)).toEqual(["stop_hook.validator_error"]);
  await expect.poll(() => isAlive(Number(readFileSync(join(directory, "self.pid"), "utf8")))).toBe(false);
});

test("throws when the command cannot be started, so that the agent may stop", async () => {
  const answer = ask(commandValidator({ command: "true", cwd: join(directory, "gone") }));

  await expect(answer).rejects.toThrow(/^`true` could not be started/);
});

test.each([0, -1, Number.NaN])("refuses a timeout of %s", (timeout) => {
  expect(() => commandValidator({ command: "true", timeout })).toThrow(RangeError);
});

test("keeps the reason of a talkative command within what an agent reads", async () => {
  const command =
    "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo 'Error: the cause'; exit 1";

  const { reason } = await ask(commandValidator({ command }));

  expect(reason.length).toBeLessThan(9_000);
  expect(reason).toContain("Error: the cause");
});

test("keeps only the end of an endless output in memory", async () => {
  const command = "head -c 20000000 /dev/zero | tr '\\0' x | fold -w 80; echo the end; exit 1";

  expect((await ask(commandValidator({ command }))).reason).toContain("the end");
});

test("hides secrets of its environment", async () => {
  const env = { ...process.env, DEPLOY_TOKEN: "swordfish-swordfish" };

  const { reason } = await ask(commandValidator({ command: "echo $DEPLOY_TOKEN; false", env }));

  expect(reason).toContain("\n***");
  expect(reason).not.toContain("swordfish");
});

test("tells agents that it starts that a stop hook is active", async () => {
  expect((await ask(commandValidator({ command: "echo $GAUNTLET_STOP_HOOK_ACTIVE; false" }))).reason).toMatch(
    /\n1$/,
  );
});

async function ask(validator: CompletionValidator, context: Partial<ToolContext> = {}) {
  const params = { stopReason: "end_turn", toolCount: 0, retryCount: 0 };
  const { value } = await validator(params, {
    context: { session: new Session(), cwd: directory, ...context },
  });
  return value ?? expect.unreachable();
}
