/** What the guards need that run checks again or read what checks have written: loaded by the few runs that need it. */
export { untestedChanges } from "./untested/untested-changes.ts";
export { runTrials } from "./trials/at-run.ts";
