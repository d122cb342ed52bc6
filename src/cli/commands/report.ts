import type { PastRun } from "../../stop/passes.ts";
import { readLastRun } from "../../stop/work-tree-store.ts";
import { projectStateDir } from "../../system/state/state-keys.ts";
import { findRun } from "../../ledger/past.ts";
import { collectReport } from "../../run/read-outcome.ts";

import { flakyIn, readLedger } from "../../ledger/ledger-lines.ts";
import { ledgerOf } from "../../ledger/ledger.ts";
import { logDirOf } from "../../system/logs/log-dir.ts";
import { githubAnnotations } from "../../report/github.ts";
import { junitReport } from "../../report/junit.ts";
import { finishedLine, gateLabels, summaryOf } from "../../report/plain-lines.ts";
import { flakyLines } from "../../report/summary-lines.ts";
import { sarifReport } from "../../report/sarif.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { EXIT } from "../../report/exit-code.ts";
import { openSettings, tellTrouble } from "../../report/open-settings.ts";
import { marked } from "../../report/progress.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import { showFailures } from "../show-failures.ts";
import { htmlReport } from "../write-reports.ts";

export interface ReportOptions {
  readonly format: "text" | "junit" | "sarif" | "github" | "html";
  readonly run?: number;
}

const DIGEST_CHARS = 9_000;

export async function reportCommand(terminal: Terminal, { format, run }: ReportOptions): Promise<number> {
  const settings = await openSettings(terminal, { command: "report" });
  if (typeof settings === "number") return settings;
  const { root } = settings;
  const { env, stdout, stderr } = terminal;
  const logDir = logDirOf(root, settings.logDir);
  const { warning } = readLastRun(projectStateDir(root, env));
  if (warning !== undefined) printLine(stderr, warning);
  const read = readLedger(ledgerOf(root, env));
  if (!read.ok) return tellTrouble(terminal, read.trouble, { command: "report" });
  const past = findRun({ root, logDir, env }, read.value, run);
  if (past === undefined) {
    printLine(stderr, run === undefined ? NO_RUN : `No run ${run} is in the ledger of this work tree.`);
    return EXIT.notOk;
  }
  if (format === "text") {
    await printText(terminal, past);
    for (const line of flakyLines(flakyIn(read.value))) printLine(stdout, line);
  } else if (format === "html") stdout.write(await htmlReport(terminal, settings, past));
  else stdout.write(await render(terminal, root, { past, format }));
  return EXIT.ok;
}

const NO_RUN = "No run yet. Start one with `agent-gauntlet run`.";

async function render(
  terminal: Terminal,
  root: string,
  { past, format }: { past: PastRun; format: "junit" | "sarif" | "github" },
): Promise<string> {
  const report = await collectReport(root, past.outcomes, terminal.env);
  switch (format) {
    case "junit":
      return junitReport(report);
    case "sarif":
      return sarifReport(report, packageJson.version);
    case "github":
      return githubAnnotations(report);
  }
}

async function printText(terminal: Terminal, past: PastRun): Promise<void> {
  const { stdout, colours } = terminal;
  const { outcomes } = past;
  printLine(stdout, `${colours.bold(`Run ${past.number}`)}: ${summaryOf(past, Date.now())}`);
  const labelOf = gateLabels(outcomes);
  for (const outcome of outcomes) printLine(stdout, marked(terminal, finishedLine(outcome, labelOf)));
  await showFailures(terminal, outcomes, { digestChars: DIGEST_CHARS, most: Infinity });
}
