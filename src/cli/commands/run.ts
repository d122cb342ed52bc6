import { statusTitle, isGreen } from "../../core/status.ts";
import { explain } from "../../core/trouble.ts";
import { collectReport, digestFailures } from "../../engine/failures.ts";

import { recordRun } from "../../engine/record-verdict.ts";
import { executeRun } from "../../engine/run.ts";
import type { RunRequest, RunResult } from "../../core/run.ts";
import { elapsedMs } from "../../machine/clock.ts";
import { findProject } from "../../machine/files/find-project.ts";

import { runJson } from "../../report/json.ts";
import { cancellation } from "../cancellation.ts";
import { EXIT, exitCodeBy, exitCodeOf } from "../exit-code.ts";
import { type Progress, showProgress } from "../progress.ts";
import type { ReportTarget } from "../report-targets.ts";
import { printLine, type Terminal } from "../terminal.ts";
import { writeReports } from "../write-reports.ts";

export interface RunOptions {
  readonly gate?: readonly string[];
  readonly base?: string;
  readonly commit?: string;
  readonly uncommitted?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
  readonly report?: readonly ReportTarget[];
  readonly kind?: "check" | "review";
  readonly onlyNew?: boolean;
  readonly allProblems?: boolean;
  /** `--no-cache`: false. */
  readonly cache?: boolean;
}

/** Runs gates for a person or a script: progress while they run, then what failed, then the status. */
export async function runCommand(terminal: Terminal, options: RunOptions): Promise<number> {
  using cancel = cancellation();
  const since = elapsedMs();
  const result = await runShown(terminal, options, cancel.signal);
  const interruptedBy = isGreen(result.status) ? undefined : cancel.cause;
  const command = options.kind ?? "run";
  const recorded = recordRun({ ...terminal, command }, result, Math.round(elapsedMs() - since));
  if (!recorded.ok) printLine(terminal.stderr, `This run is not in the ledger. ${explain(recorded.trouble)}`);
  if (options.json) await printJson(terminal, command, result);
  else await printResult(terminal, result, { ...options, isInterrupted: interruptedBy !== undefined });
  await writeReports(terminal, result, {
    targets: options.report ?? [],
    command,
    json: options.json === true,
  });
  return interruptedBy === undefined ? exitCodeOf(result.status) : exitCodeBy(interruptedBy);
}

async function runShown(terminal: Terminal, options: RunOptions, signal: AbortSignal): Promise<RunResult> {
  using progress = showProgress(terminal, options);
  const { onEvent } = progress;
  return await executeRun(requestOf(terminal, options, { signal, onEvent })); // the screen is in order when this returns
}

function requestOf(
  { cwd, env }: Terminal,
  { gate = [], base, commit, uncommitted, kind, cache, onlyNew, allProblems }: RunOptions,
  { signal, onEvent }: { signal: AbortSignal; onEvent: Progress["onEvent"] },
): RunRequest {
  return {
    cwd,
    env,
    gates: gate,
    base,
    commit,
    uncommitted,
    noCache: cache === false,
    onlyNew: allProblems ? false : onlyNew,
    signal,
    onEvent,
    ...(kind === undefined ? {} : { kind }),
  };
}

async function printJson({ cwd, env, stdout }: Terminal, command: string, result: RunResult): Promise<void> {
  const report = await collectReport(findProject(cwd) ?? cwd, result.outcomes, env);
  printLine(stdout, runJson(command, result, report));
}

const INTERRUPTED =
  "The run was interrupted: the gates that had not finished were ended, and no attempt is counted.";

const DIGEST_CHARS = 6_000;

async function printResult(
  terminal: Terminal,
  result: RunResult,
  { quiet, verbose, isInterrupted }: RunOptions & { readonly isInterrupted: boolean },
): Promise<void> {
  const { stdout, stderr, colours } = terminal;
  const isSkipsUntold = verbose && result.kind !== "ran";
  if (isSkipsUntold)
    for (const { id, reason } of result.plan?.skipped ?? []) printLine(stdout, `[SKIP] ${id} ${reason}`);
  for (const { outcome, digest } of await digestFailures(terminal.cwd, result.outcomes, DIGEST_CHARS)) {
    printLine(stdout, `\n${colours.bold(colours.red(`── ${outcome.id} ──`))}\n${digest}`);
  }
  if (isInterrupted) return printLine(stdout, `\n${INTERRUPTED}\nStatus: ${colours.red("Interrupted")}`);
  const errorMessage = result.kind === "not-needed" ? undefined : result.errorMessage;
  if (errorMessage !== undefined) printLine(stderr, errorMessage);
  else if (!quiet) printLine(stdout, `\n${result.message}`);
  const colour = exitCodeOf(result.status) === EXIT.ok ? colours.green : colours.red;
  printLine(stdout, `Status: ${colour(statusTitle(result.status))}`);
}
