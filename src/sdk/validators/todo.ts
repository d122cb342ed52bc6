import { Todo } from "../todo.ts";
import { type CompletionValidator, ValidationResult } from "../validation.ts";

/** Incomplete while the session has todos that are not completed. */
export const todoValidator: CompletionValidator = (_params, { context }) => {
  const remaining = context.session.slice(Todo).where((todo) => todo.status !== "completed").length;
  if (remaining === 0)
    return {
      message: "Complete",
      value: new ValidationResult({ complete: true, reason: "All todos done" }),
    };
  return {
    message: "Incomplete",
    value: new ValidationResult({ complete: false, reason: `${remaining} todos remaining` }),
  };
};
