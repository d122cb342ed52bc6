import type { ChangedFile } from "../../core/plan/change-set.ts";
import { displayPath } from "../../core/path.ts";
import { previewRun } from "../../engine/preview.ts";
import { detectJson } from "../../report/json/run-json.ts";
import { EXIT } from "../exit-code.ts";
import { tellTrouble } from "../open-settings.ts";
import { printLine, type Terminal } from "../output/terminal.ts";
import type { ChoiceOptions } from "./run.ts";

export interface DetectOptions extends ChoiceOptions {
  readonly why?: boolean;
  readonly json?: boolean;
}

/** Shows what a run would do, and why, without running anything. */
export async function detectCommand(terminal: Terminal, options: DetectOptions): Promise<number> {
  const { gate = [], skip = [], all, failed, base, commit, uncommitted, staged, why, json } = options;
  const { cwd, env } = terminal;
  const chosen = { gates: gate, skip, all, failed };
  const preview = await previewRun({ cwd, env, ...chosen, base, commit, uncommitted, staged });
  if (!preview.ok) return tellTrouble(terminal, preview.trouble, { command: "detect", json });
  const { changes, plan, guards } = preview.value;
  if (json) {
    printLine(terminal.stdout, detectJson(changes, plan, guards));
    return EXIT.ok;
  }
  const { stdout, colours } = terminal;
  for (const note of changes.notes) printLine(terminal.stderr, note);
  const count = changes.files.length === 1 ? "1 file" : `${changes.files.length} files`;
  printLine(stdout, `${count} changed, compared to ${changes.comparedTo}${changes.files.length ? ":" : "."}`);
  for (const file of changes.files) printLine(stdout, `  ${file.change.padEnd(9)} ${pathsOf(file)}`);
  const would = [...plan.gates, ...guards];
  printLine(stdout, would.length === 0 ? "No gate would run." : "Gates that would run:");
  for (const { id, reason } of would) printLine(stdout, `  ${colours.bold(id)}  ${colours.dim(reason)}`);
  if (why && plan.skipped.length > 0) {
    printLine(stdout, "Skipped:");
    for (const { id, reason } of plan.skipped) printLine(stdout, `  ${id}  ${colours.dim(reason)}`);
  }
  return EXIT.ok;
}

function pathsOf({ path, from }: ChangedFile): string {
  return from === undefined ? displayPath(path) : `${displayPath(from)} → ${displayPath(path)}`;
}
