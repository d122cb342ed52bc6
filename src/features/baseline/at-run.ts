/** What a run uses of the baseline: loaded by the few runs that have a failing check to compare, or a committed baseline. */
export { baselineAdvice, sayGrown } from "./baseline-advice.ts";
export { Comparer } from "./comparer.ts";
