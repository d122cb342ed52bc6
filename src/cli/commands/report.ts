import type { RunRecord } from "../../core/history.ts";
import { collectReport, digestFailures } from "../../engine/run/failures.ts";

import { readLastRun } from "../../machine/state/history.ts";
import { flakyIn } from "../../machine/state/ledger-lines.ts";
import { ledgerOf } from "../../machine/state/ledger.ts";
import { logDirOf } from "../../machine/logs/log-dir.ts";
import { githubAnnotations } from "../../report/github.ts";
import { junitReport } from "../../report/junit.ts";
import { finishedLine, gateLabels, summaryOf } from "../../report/plain-lines.ts";
import { flakyLines } from "../../report/verdict-lines.ts";
import { sarifReport } from "../../report/sarif.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { EXIT } from "../exit-code.ts";
import { htmlReport } from "../output/html-report.ts";
import { openSettings } from "../open-settings.ts";
import { marked } from "../output/progress.ts";
import { printLine, type Terminal } from "../output/terminal.ts";

export interface ReportOptions {
  readonly format: "text" | "junit" | "sarif" | "github" | "html";
}

const DIGEST_CHARS = 9_000;

/** Shows the last run again, from its records and logs, without running anything. */
export async function reportCommand(terminal: Terminal, { format }: ReportOptions): Promise<number> {
  const settings = await openSettings(terminal, { command: "report" });
  if (typeof settings === "number") return settings;
  const { value: lastRun, warning } = readLastRun(logDirOf(settings.root, settings.logDir).stateDir);
  if (warning !== undefined) printLine(terminal.stderr, warning);
  if (lastRun === undefined) {
    printLine(terminal.stderr, "No run yet. Start one with `agent-gauntlet run`.");
    return EXIT.notOk;
  }
  if (format === "text") {
    await printText(terminal, lastRun);
    for (const line of flakyLines(flakyIn(ledgerOf(settings.root, terminal.env))))
      printLine(terminal.stdout, line);
  } else if (format === "html") terminal.stdout.write(await htmlReport(terminal, settings, lastRun));
  else terminal.stdout.write(await render(terminal, settings.root, { lastRun, format }));
  return EXIT.ok;
}

async function render(
  terminal: Terminal,
  root: string,
  { lastRun, format }: { lastRun: RunRecord; format: "junit" | "sarif" | "github" },
): Promise<string> {
  const report = await collectReport(root, lastRun.outcomes, terminal.env);
  switch (format) {
    case "junit":
      return junitReport(report);
    case "sarif":
      return sarifReport(report, packageJson.version);
    case "github":
      return githubAnnotations(report);
  }
}

async function printText(terminal: Terminal, lastRun: RunRecord): Promise<void> {
  const { stdout, cwd, colours } = terminal;
  const { outcomes } = lastRun;
  printLine(stdout, `${colours.bold(`Run ${lastRun.number}`)}: ${summaryOf(lastRun, Date.now())}`);
  const labelOf = gateLabels(outcomes);
  for (const outcome of outcomes) printLine(stdout, marked(terminal, finishedLine(outcome, labelOf)));
  for (const { outcome, digest } of await digestFailures(cwd, outcomes, DIGEST_CHARS))
    printLine(stdout, `\n${colours.bold(colours.red(`── ${labelOf(outcome.id)} ──`))}\n${digest}`);
}
