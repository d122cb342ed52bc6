import {
  type CompletionValidator,
  ValidationResult,
  type ToolResult,
  type ValidationOutcome,
} from "../validation.ts";
import { stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { Todo } from "../todo.ts";

/** Complete when every validator says so: asked in order, the first other answer is the answer. */
export function compositeValidator(...validators: readonly CompletionValidator[]): CompletionValidator {
  return async (params, options) => {
    for (const validator of validators) {
      options.context.signal?.throwIfAborted();
      // One after another: a validator may rely on what the ones before it made sure of.
      // oxlint-disable-next-line no-await-in-loop
      const result = await validator(params, options);
      if (result?.value?.complete !== true) return result;
    }
    return {
      message: "All checks passed",
      value: new ValidationResult({ complete: true, reason: "All validators passed" }),
    };
  };
}

/**
 * Incomplete until every file exists. Relative paths start at `cwd`, or at the agent's own directory when absent.
 * A file that cannot be looked at counts as missing: this validator never says "complete" without having seen it.
 */
export function fileOutputValidator(
  files: readonly string[],
  options: { readonly cwd?: string } = {},
): CompletionValidator {
  return async (_params, { context }) => {
    const base = options.cwd ?? context.cwd;
    const found = await Promise.all(files.map((file) => isFile(file, base)));
    const missing = files.filter((_, index) => !found[index]);
    return missing.length === 0 ? allThere(files) : somethingMissing(missing);
  };
}

async function isFile(file: string, base: string | undefined): Promise<boolean> {
  if (base === undefined && !isAbsolute(file)) return false;
  return stat(resolve(base ?? "", file)).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

function allThere(files: readonly string[]): ToolResult<ValidationOutcome> {
  const reason = `All output files are there (${files.length})`;
  return { message: "Complete", value: new ValidationResult({ complete: true, reason }) };
}

const NAMED = 3;

function somethingMissing(missing: readonly string[]): ToolResult<ValidationOutcome> {
  const named = missing.slice(0, NAMED).join(", ");
  const rest = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : "";
  const reason = `Output files are missing: ${named}${rest}. Write them before you stop.`;
  return { message: "Incomplete", value: new ValidationResult({ complete: false, reason }) };
}

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
