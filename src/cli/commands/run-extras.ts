/** What a plain run does without, in one module. */
export { watchCommand } from "../../features/watch/command.ts";
export { detectJson, runJson } from "../../report/json/run-json.ts";
export { tellTrouble } from "../../report/open-settings.ts";
export { previewRun } from "../../run/preview.ts";
export { writeReports } from "../write-reports.ts";
export { showFailures } from "../show-failures.ts";
export { collectReport } from "../../run/read-outcome.ts";
