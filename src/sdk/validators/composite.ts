import { type CompletionValidator, ValidationResult } from "../validation.ts";

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
