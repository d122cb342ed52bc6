import { expect, test } from "vitest";

import {
  completionTool,
  Session,
  validateCompletion,
  validateCompletionTool,
  VALIDATE_COMPLETION_TOOL_NAME,
  ValidationResult,
} from "../../src/sdk/index.ts";

test("the reserved tool has the name and description that adapters know", () => {
  expect(VALIDATE_COMPLETION_TOOL_NAME).toBe("validate_completion");
  expect(validateCompletionTool).toMatchObject({
    name: "validate_completion",
    description: "Validate task completeness before stopping",
    handler: validateCompletion,
  });
});

test("a tool of one's own differs in its handler only", () => {
  const handler = validateCompletion.bind(undefined);

  expect(completionTool(handler)).toEqual({ ...validateCompletionTool, handler });
});

test("the default validator finds everything complete", async () => {
  const params = { stopReason: "end_turn", toolCount: 0, retryCount: 0 };

  const result = await validateCompletion(params, { context: { session: new Session() } });

  expect(result).toEqual({
    message: "Validation passed",
    value: new ValidationResult({ complete: true, reason: "No validation configured" }),
  });
});

test.each([
  [true, "[complete] fine"],
  [false, "[incomplete] fine"],
])("a result with complete=%s renders as %s", (complete, text) => {
  expect(new ValidationResult({ complete, reason: "fine" }).render()).toBe(text);
});

test("a result cannot be changed", () => {
  const result = new ValidationResult({ complete: false, reason: "no" });

  expect(() => Object.assign(result, { complete: true })).toThrow(TypeError);
  expect(result.complete).toBe(false);
});
