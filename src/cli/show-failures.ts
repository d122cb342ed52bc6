import { stripVTControlCharacters } from "node:util";
import type { GateOutcome } from "../gates/outcome.ts";
import { addedBy, closingLines } from "../report/closing-lines.ts";
import { gateLabels } from "../report/plain-lines.ts";
import { problemsOf } from "../report/run-report.ts";
import { columnsOf, printLine, printText, type Terminal } from "../report/terminal.ts";
import { collectReport, digestFailures, readOutcome } from "../run/read-outcome.ts";
import { findProject } from "../system/files/find-project.ts";

/** What failed, for people: what the logs add, then one line for each problem. */
export async function showFailures(
  terminal: Terminal,
  outcomes: readonly GateOutcome[],
  { digestChars, most }: { readonly digestChars: number; readonly most?: number },
): Promise<void> {
  const { cwd, env, stdout, colours } = terminal;
  const root = findProject(cwd) ?? cwd;
  const labelOf = gateLabels(outcomes);
  const report = await collectReport(root, outcomes, env);
  for (const { outcome, digest } of await digestFailures(cwd, outcomes, digestChars)) {
    const isGone = outcome.logPath === undefined && outcome.review === undefined; // logs go before the ledger
    const added = isGone ? "" : addedBy(digest, problemsOf(report, outcome));
    if (added === "") continue;
    const shown = colours.isColorSupported ? await inToolColours(added, outcome, root) : added;
    printText(stdout, `\n${colours.bold(colours.red(`── ${labelOf(outcome.id)} ──`))}\n${shown}\n`);
  }
  const lines = closingLines(report, { labelOf, colours, columns: columnsOf(terminal), most });
  if (lines.length > 0) printLine(stdout, `\n${lines.join("\n")}`);
}

/** A line that stands in the log in colour is shown as it stands there. */
async function inToolColours(text: string, outcome: GateOutcome, root: string): Promise<string> {
  const log = (await readOutcome(outcome, root)).text;
  if (!log.includes("\u001b[")) return text;
  const inColour = new Map(
    log
      .split("\n")
      .filter((line) => line.includes("\u001b["))
      .map((line) => [stripVTControlCharacters(line).trim(), withoutIndent(onlyColours(line))]),
  );
  return text.replace(/^( *)(\S.*)$/gm, (line, indent: string, rest: string) => {
    const coloured = inColour.get(rest.trim());
    return coloured === undefined ? line : `${indent}${coloured}\u001b[0m`;
  });
}

/** A log may move the cursor or set the title; only what colours is let out to the terminal. */
function onlyColours(line: string): string {
  const marked = line.replaceAll(/\u001b\[([\d;]*)m/g, "\u0000$1\u0001");
  return stripVTControlCharacters(marked)
    .replaceAll(/[\u0002-\u001f\u007f]/g, "")
    .replaceAll(/\u0000([\d;]*)\u0001/g, "\u001b[$1m");
}

/** Its colour may begin before the indentation. */
function withoutIndent(line: string): string {
  return line.replace(/^(?:\s|\u001b\[[\d;]*m)+/, (start) => start.replaceAll(/\s/g, "")).trimEnd();
}
