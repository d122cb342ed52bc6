/** What a run needs once something changed: loaded in one piece, while git works. */
export { detectChanges, planRun, withPackages } from "./plan-run.ts";
export { nothingToRun, runPlan, sweepWhileGitWorks } from "./run-plan.ts";
