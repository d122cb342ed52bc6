import { once } from "node:events";
import { expect, test } from "vitest";
import {
  type CompletionValidator,
  type HookInput,
  type HookLogger,
  type ValidationParams,
  completionTool,
  createStopHook,
  DEFAULT_MAX_STOP_RETRIES,
  HookContext,
  Session,
  ValidationResult,
} from "../../src/sdk/index.ts";
import { recordingLogger } from "./recording-logger.ts";

test("ignores events that are not a stop", async () => {
  const rig = stopRig(incomplete("not done"));

  const answer = await rig.stop({ hook_event_name: "SubagentStop" });

  expect(answer).toEqual({});
  expect(rig.context.stopReason).toBeNull();
  expect(rig.asked).toEqual([]);
});

test("takes the stop reason for end_turn when the event has none", async () => {
  const rig = stopRig(complete());

  await rig.stop();

  expect(rig.context.stopReason).toBe("end_turn");
  expect(rig.asked).toEqual([{ stopReason: "end_turn", toolCount: 0, retryCount: 0 }]);
});

test("passes on a stop reason that the event has", async () => {
  const rig = stopRig(complete());

  await rig.stop({ hook_event_name: "Stop", stopReason: "max_turns" } as HookInput);

  expect(rig.asked).toEqual([{ stopReason: "max_turns", toolCount: 0, retryCount: 0 }]);
});

test("allows the stop and keeps its reason when no validator is attached", async () => {
  const context = new HookContext({ session: new Session() });

  const answer = await createStopHook(context)({ hook_event_name: "Stop" }, undefined, neverAborted());

  expect(answer).toEqual({});
  expect(context.stopReason).toBe("end_turn");
});

test("does not ask anybody once the signal is aborted", async () => {
  const rig = stopRig(incomplete("not done"));

  const answer = await rig.stop(undefined, AbortSignal.abort());

  expect(answer).toEqual({});
  expect(rig.asked).toEqual([]);
});

test("allows the stop when the task is complete", async () => {
  const rig = stopRig(complete());

  expect(await rig.stop()).toEqual({});
  expect(rig.context.retryCount).toBe(0);
  expect(rig.warnings()).toEqual([]);
});

test("blocks with exactly the validator's reason while the task is incomplete", async () => {
  const rig = stopRig(incomplete("2 todos remaining"));

  expect(await rig.stop()).toStrictEqual({ decision: "block", reason: "2 todos remaining" });
  expect(rig.context.retryCount).toBe(1);
});

test.each([
  ["empty", ""],
  ["blank", " \n"],
  ["missing", undefined],
])("says something useful when the reason is %s", async (_, reason) => {
  const rig = stopRig(() => ({ message: "", value: { complete: false, reason: reason as string } }));

  const answer = await rig.stop();

  expect(answer.decision).toBe("block");
  expect(answer.reason).toMatch(/not complete yet.*gave no reason/);
});

test("blocks three times by default, then lets go with a warning and without asking", async () => {
  const rig = stopRig(incomplete("not done"));

  const answers = [await rig.stop(), await rig.stop(), await rig.stop(), await rig.stop(), await rig.stop()];

  expect(DEFAULT_MAX_STOP_RETRIES).toBe(3);
  expect(answers.map((answer) => answer.decision)).toEqual(["block", "block", "block", undefined, undefined]);
  expect(answers[3]).toStrictEqual({});
  expect(rig.asked.map((params) => params.retryCount)).toEqual([0, 1, 2]);
  expect(rig.warnings()).toEqual([
    ["stop_hook.max_retries_exceeded", { retryCount: 3, maxStopRetries: 3 }],
    ["stop_hook.max_retries_exceeded", { retryCount: 3, maxStopRetries: 3 }],
  ]);
});

test("never blocks with a budget of 0", async () => {
  const rig = stopRig(incomplete("not done"), { maxStopRetries: 0 });

  expect(await rig.stop()).toEqual({});
  expect(rig.asked).toEqual([]);
  expect(rig.warnings().map(([event]) => event)).toEqual(["stop_hook.max_retries_exceeded"]);
});

test.each([-1, 1.5, Number.NaN, Infinity])("refuses a budget of %s", (maxStopRetries) => {
  expect(() => new HookContext({ session: new Session(), maxStopRetries })).toThrow(RangeError);
});

test("ignores stop_hook_active: its own counter decides", async () => {
  const rig = stopRig(incomplete("not done"));

  const answer = await rig.stop({ hook_event_name: "Stop", stop_hook_active: true } as HookInput);

  expect(answer.decision).toBe("block");
});

test("tells the validator the session, the signal and where the agent works", async () => {
  const seen: unknown[] = [];
  const rig = stopRig((_, { context }) => {
    seen.push(context.session, context.signal, context.cwd);
    return complete()(_, { context });
  });
  const { signal } = new AbortController();

  await rig.stop({ hook_event_name: "Stop", cwd: "/project/src" }, signal);

  expect(seen).toEqual([rig.context.session, signal, "/project/src"]);
});

test("prefers the context's directory to the event's, which follows the model's cd", async () => {
  const seen: unknown[] = [];
  const rig = stopRig((params, options) => complete(() => seen.push(options.context.cwd))(params, options), {
    cwd: "/project",
  });

  await rig.stop({ hook_event_name: "Stop", cwd: "/project/src" });

  expect(seen).toEqual(["/project"]);
});

test.each<[string, CompletionValidator, string]>([
  ["throws", throwing(new Error("boom")), "boom"],
  ["throws something that is not an error", throwing("boom"), "boom"],
  ["rejects", () => Promise.reject(new Error("boom")), "boom"],
  ["answers nothing", nonsense(undefined), "no boolean value.complete"],
  ["answers a null value", () => ({ message: "", value: null }), "no boolean value.complete"],
  ["answers a string for complete", nonsense({ value: { complete: "yes" } }), "no boolean value.complete"],
  ["answers a number", nonsense(42), "no boolean value.complete"],
])("warns and allows the stop when the validator %s", async (_, validator, error) => {
  const rig = stopRig(validator);

  const answer = await rig.stop();

  expect(answer).toStrictEqual({});
  expect(rig.context.retryCount).toBe(0);
  expect(rig.warnings()).toEqual([
    ["stop_hook.validator_error", { error: expect.stringContaining(error) as string }],
  ]);
});

test("warns when the validator finds the task complete without having checked", async () => {
  const value = { complete: true, reason: "nothing to check with" };
  const rig = stopRig(() => ({ message: "", value, success: false }));

  expect(await rig.stop()).toStrictEqual({});
  expect(rig.warnings()).toEqual([["stop_hook.not_verified", { reason: "nothing to check with" }]]);
});

test("warns and allows the stop when the validator hangs past the signal", async () => {
  const rig = stopRig(() => new Promise(() => {}));
  const controller = new AbortController();

  const answer = rig.stop(undefined, controller.signal);
  controller.abort();

  expect(await answer).toStrictEqual({});
  expect(rig.warnings()).toEqual([
    ["stop_hook.validator_error", { error: expect.stringContaining("aborted") as string }],
  ]);
});

test("is not disturbed by a validator that aborts, hangs and rejects late", async () => {
  const controller = new AbortController();
  const answered = new AbortController();
  const rig = stopRig(async () => {
    controller.abort();
    await once(answered.signal, "abort");
    throw new Error("too late");
  });

  const answer = await rig.stop(undefined, controller.signal);
  answered.abort();

  expect(answer).toStrictEqual({});
  expect(rig.warnings()).toHaveLength(1);
});

test.each<[string, (event: string) => void]>([
  ["throws", throwing(new Error("disk full"))],
  ["rejects later", () => Promise.reject(new Error("disk full"))],
])("decides the same with a logger that %s", async (_, log) => {
  const logger: HookLogger = { debug: log, info: log, warn: log, error: log };
  const warned = once(process, "warning");
  const rig = stopRig(incomplete("not done"), { logger, maxStopRetries: 1 });

  const answers = [await rig.stop(), await rig.stop()];

  expect(answers).toEqual([{ decision: "block", reason: "not done" }, {}]);
  expect(String((await warned)[0])).toContain("The logger failed at stop_hook.incomplete");
});

test("warns through the process when there is no logger", async () => {
  const context = new HookContext({
    session: new Session(),
    tools: [completionTool(throwing(new Error("boom")))],
  });
  const warned = once(process, "warning");

  await createStopHook(context)({ hook_event_name: "Stop" }, undefined, neverAborted());

  expect(String((await warned)[0])).toBe('AgentGauntletWarning: stop_hook.validator_error {"error":"boom"}');
});

interface RigOptions {
  readonly maxStopRetries?: number;
  readonly logger?: HookLogger;
  readonly cwd?: string;
}

function stopRig(validator: CompletionValidator, options: RigOptions = {}) {
  const logger = recordingLogger();
  const asked: ValidationParams[] = [];
  const tool = completionTool((params, rest) => {
    asked.push(params);
    return validator(params, rest);
  });
  const context = new HookContext({ logger, ...options, session: new Session(), tools: [tool] });
  const hook = createStopHook(context);
  return {
    context,
    asked,
    stop: (input: HookInput = { hook_event_name: "Stop" }, signal = new AbortController().signal) =>
      hook(input, undefined, { signal }),
    warnings: () =>
      logger.lines.filter(([level]) => level === "warn").map(([, event, fields]) => [event, fields]),
  };
}

function neverAborted(): { signal: AbortSignal } {
  return { signal: new AbortController().signal };
}

function complete(before: () => void = () => {}): CompletionValidator {
  return () => {
    before();
    return { message: "", value: new ValidationResult({ complete: true, reason: "done" }) };
  };
}

function incomplete(reason: string): CompletionValidator {
  return () => ({ message: "", value: new ValidationResult({ complete: false, reason }) });
}

function throwing(error: unknown): () => never {
  return () => {
    throw error;
  };
}

function nonsense(answer: unknown): CompletionValidator {
  return () => answer as never;
}
