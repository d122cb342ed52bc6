import {
  type Tool,
  type CompletionValidator,
  type ValidationOutcome,
  type ValidationParams,
  ValidationResult,
} from "./validation.ts";

/** The reserved tool name: the stop hook calls the tool that bears it. */
export const VALIDATE_COMPLETION_TOOL_NAME = "validate_completion";

/** The validator of a workspace that configured none: every stop is complete. */
export const validateCompletion: CompletionValidator = () => ({
  message: "Validation passed",
  value: new ValidationResult({ complete: true, reason: "No validation configured" }),
});

/** The reserved tool with the default validator. */
export const validateCompletionTool: CompletionTool = /* @__PURE__ */ completionTool(validateCompletion);

/** A `validate_completion` tool. */
export type CompletionTool = Tool<ValidationParams, ValidationOutcome>;

/** The reserved tool with a validator of your own, for a `HookContext` without a workspace. */
export function completionTool(validator: CompletionValidator): CompletionTool {
  return Object.freeze({
    name: VALIDATE_COMPLETION_TOOL_NAME,
    description: "Validate task completeness before stopping",
    handler: validator,
  });
}
