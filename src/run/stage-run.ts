/** What a run needs once something changed: loaded in one piece, while git works. */
export { ActiveRun, guardsIn, prepareGates } from "./active-run.ts";
export { conclude } from "./conclude.ts";
export { runGates } from "./gates.ts";
export { detectChanges, nothingToRun, planRun, withPackages } from "./plan-run.ts";
