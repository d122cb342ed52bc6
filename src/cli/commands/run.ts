import { statusMessage, statusTitle, isGreen } from "../../stop/status.ts";
import { needsWords } from "../../gates/outcome.ts";
import { explain } from "../../trouble.ts";
import { recordRun } from "../../ledger/record-verdict.ts";
import type { Preview } from "../../run/preview.ts";
import { run } from "../../run/run.ts";
import type { RunEvent, RunRequest } from "../../run/request.ts";
import { type RunResult, runFacts } from "../../run/result.ts";
import { startTrace } from "../../features/telemetry/start-trace.ts";
import type { RunTrace } from "../../features/telemetry/trace-stop.ts";
import { elapsedMs } from "../../system/clock.ts";
import { findProject } from "../../system/files/find-project.ts";
import { ledgerOf } from "../../ledger/ledger.ts";
import { recentLines, verdictsIn } from "../../ledger/ledger-lines.ts";
import { gateLabels } from "../../report/plain-lines.ts";
import { runSummary } from "../../report/summary-lines.ts";
import { type Cancellation, cancellation } from "../../system/process/cancellation.ts";
import { EXIT, exitCodeBy, exitCodeOf } from "../../report/exit-code.ts";
import { showProgress, skippedLines, usualTimesOf } from "../../report/progress.ts";
import { isUserThere } from "../../report/user-at-terminal.ts";
import type { ReportTarget } from "../command-options.ts";
import { exitNow, printLine, type Terminal } from "../../report/terminal.ts";
import type { ChangedFile } from "../../system/git/change-set.ts";
import { displayPath } from "../../path.ts";

/** Which gates run, and on which changes. */
export interface ChoiceOptions {
  readonly gate?: readonly string[];
  readonly skip?: readonly string[];
  readonly all?: boolean;
  readonly failed?: boolean;
  readonly base?: string;
  readonly commit?: string;
  readonly uncommitted?: boolean;
  readonly staged?: boolean;
}

export interface RunOptions extends ChoiceOptions {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
  readonly report?: readonly ReportTarget[];
  readonly kind?: "check" | "review";
  readonly onlyNew?: boolean;
  readonly allProblems?: boolean;
  /** `--no-cache`: false. */
  readonly cache?: boolean;
  /** `--no-fix`: false. */
  readonly fix?: boolean;
  /** `--no-guards`: false. */
  readonly guards?: boolean;
  readonly watch?: boolean;
}

/** Reading logs, reports, JSON, previews and watching: a run that passes does without. */
const loadExtras = () => import("./run-extras.ts");

/** Runs gates for a person or a script. */
export async function runCommand(terminal: Terminal, options: RunOptions): Promise<number> {
  if (options.watch) {
    const { watchCommand } = await loadExtras();
    return watchCommand(terminal, (asked, cancel) => runAndTell(terminal, { ...options, ...asked }, cancel));
  }
  using cancel = cancellation();
  const { status, isSent } = await runAndTell(terminal, options, cancel);
  const isInterrupted = cancel.cause !== undefined && !isGreen(status);
  const exitCode = isInterrupted ? exitCodeBy(cancel.cause) : exitCodeOf(status);
  if (!isSent) await exitNow(terminal, exitCode); // a look-up of a collector's name cannot be cancelled
  return exitCode;
}

/** The result of a run, and whether telemetry about it was sent or not asked for. */
type ToldResult = RunResult & { readonly isSent: boolean };

/** One run: progress while it goes on, then what failed, then the status. */
export async function runAndTell(
  terminal: Terminal,
  options: RunOptions,
  cancel: Pick<Cancellation, "signal" | "cause">,
): Promise<ToldResult> {
  const traced = await startTrace(terminal.env);
  const since = elapsedMs();
  const result = await runShown(terminal, options, { signal: cancel.signal, traced });
  const isInterrupted = cancel.cause !== undefined && !isGreen(result.status);
  const command = options.kind ?? "run";
  const tookMs = Math.round(elapsedMs() - since);
  const summary = options.json || options.quiet ? undefined : summaryOf(terminal, result.outcomes, tookMs);
  const recorded = recordRun({ ...terminal, command }, runFacts(result), tookMs);
  if (!recorded.ok) printLine(terminal.stderr, `This run is not in the ledger. ${explain(recorded.trouble)}`);
  if (options.json) await printJson(terminal, command, result);
  else await printResult(terminal, result, { ...options, summary, isInterrupted });
  const targets = withActions(options.report ?? [], terminal);
  if (targets.length > 0) {
    const { writeReports } = await loadExtras();
    await writeReports(terminal, result, { targets, command, json: options.json === true });
  }
  const asked = { door: command, root: findProject(terminal.cwd) };
  const isSent = (await traced?.sendRun(asked, result, elapsedMs())) ?? true;
  return { ...result, isSent };
}

/** The usual times are those of earlier runs: read before this one is written down. */
function summaryOf(terminal: Terminal, outcomes: RunResult["outcomes"], tookMs: number): string | undefined {
  return runSummary(outcomes, { usual: usualTimesOf(terminal), tookMs, labelOf: gateLabels(outcomes) });
}

interface Watchers {
  readonly signal: AbortSignal;
  readonly traced: RunTrace | undefined;
}

async function runShown(
  terminal: Terminal,
  options: RunOptions,
  { signal, traced }: Watchers,
): Promise<RunResult> {
  using shown = await showProgress(terminal, options);
  const { onOutput } = shown;
  const onEvent = (event: RunEvent): void => {
    traced?.hooks.onEvent(event);
    shown.onEvent(event);
  };
  const { traceparentOf } = traced?.hooks ?? {};
  const request = requestOf(terminal, options, { signal, onEvent, onOutput, traceparentOf });
  return await run(request); // the screen is in order when this returns
}

function requestOf(
  terminal: Terminal,
  {
    gate = [],
    skip = [],
    all,
    failed,
    base,
    commit,
    uncommitted,
    staged,
    kind,
    cache,
    fix,
    ...more
  }: RunOptions,
  on: Pick<RunRequest, "onEvent" | "onOutput" | "traceparentOf"> & { readonly signal: AbortSignal },
): RunRequest {
  const { cwd, env } = terminal;
  return {
    cwd,
    env,
    isUser: async () => isUserThere(terminal),
    gates: gate,
    skip,
    all,
    failed,
    base,
    commit,
    uncommitted,
    staged,
    noCache: cache === false,
    noFix: fix === false,
    noGuards: more.guards === false,
    onlyNew: more.allProblems ? false : more.onlyNew,
    ...on,
    kind,
  };
}

function withActions(targets: readonly ReportTarget[], { env }: Terminal): readonly ReportTarget[] {
  const isAsked = targets.some(({ format }) => format === "github");
  return env["GITHUB_ACTIONS"] === "true" && !isAsked ? [...targets, { format: "github" }] : targets;
}

async function printJson({ cwd, env, stdout }: Terminal, command: string, result: RunResult): Promise<void> {
  const { collectReport, runJson } = await loadExtras();
  const report = await collectReport(findProject(cwd) ?? cwd, result.outcomes, env);
  printLine(stdout, runJson(command, result, report));
}

const INTERRUPTED =
  "The run was interrupted: the gates that had not finished were ended, and no attempt is counted.";

const DIGEST_CHARS = 6_000;

const OLD_PROBLEMS = "Was it failing before your change? Try `agent-gauntlet run --only-new`.";

/** A project that was red when the gates came would have every stop blocked for what no agent has done. */
function mayBeOld({ cwd, env }: Terminal, { status, outcomes, changes }: RunResult): boolean {
  const red = outcomes.filter(({ kind, gate }) => kind === "failed" && gate === "check");
  const root = findProject(cwd);
  if (status !== "failed" || root === undefined || changes?.head === undefined) return false; // nothing to compare with
  if (red.length === 0 || red.some(({ baseline }) => baseline !== undefined)) return false;
  return ![...verdictsIn(recentLines(ledgerOf(root, env)))].some((verdict) =>
    verdict.status.startsWith("passed"),
  );
}

interface Closing {
  readonly isInterrupted: boolean;
  readonly summary: string | undefined;
}

async function printResult(
  terminal: Terminal,
  result: RunResult,
  { quiet, verbose, isInterrupted, summary }: RunOptions & Closing,
): Promise<void> {
  const { stdout, stderr } = terminal;
  const isSkipsUntold = verbose && result.kind !== "ran";
  if (isSkipsUntold) for (const line of skippedLines(result.plan)) printLine(stdout, line);
  if (result.outcomes.some(needsWords)) {
    const { showFailures } = await loadExtras();
    await showFailures(terminal, result.outcomes, { digestChars: DIGEST_CHARS });
  }
  const errorMessage = result.kind === "not-needed" ? undefined : result.errorMessage;
  if (isInterrupted) printLine(stdout, `\n${INTERRUPTED}`);
  else if (errorMessage !== undefined) printLine(stderr, errorMessage);
  else if (!quiet && saysMore(result)) printLine(stdout, `\n${result.message}`);
  if (summary !== undefined && mayBeOld(terminal, result)) printLine(stdout, `\n${OLD_PROBLEMS}`);
  const status = statusLine(terminal, result, isInterrupted);
  printLine(stdout, summary === undefined ? status : `\n${summary} · ${status}`);
}

/** What no gate's line says: why none ran, or that only some did. */
function saysMore({ status, message, outcomes }: RunResult): boolean {
  return outcomes.length === 0 || (status === "passed" && message !== statusMessage(status));
}

function statusLine({ colours }: Terminal, { status }: RunResult, isInterrupted: boolean): string {
  if (isInterrupted) return `Status: ${colours.red("Interrupted")}`;
  const colour = exitCodeOf(status) === EXIT.ok ? colours.green : colours.red;
  return `Status: ${colour(statusTitle(status))}`;
}

export interface DetectOptions extends ChoiceOptions {
  readonly why?: boolean;
  readonly json?: boolean;
}

/** Shows what a run would do, and why, without running anything. */
export async function detectCommand(terminal: Terminal, options: DetectOptions): Promise<number> {
  const { gate = [], skip = [], all, failed, base, commit, uncommitted, staged, why, json } = options;
  const { cwd, env } = terminal;
  const chosen = { gates: gate, skip, all, failed };
  const { detectJson, previewRun, tellTrouble } = await loadExtras();
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
  if (why) printReasons(terminal, preview.value);
  return EXIT.ok;
}

function printReasons({ stdout, colours }: Terminal, { plan, protectedFiles }: Preview): void {
  if (plan.skipped.length > 0) printLine(stdout, "Skipped:");
  for (const { id, reason } of plan.skipped) printLine(stdout, `  ${id}  ${colours.dim(reason)}`);
  if (protectedFiles.length > 0)
    printLine(stdout, "Protected files, for `original-tests` and `unproven-tests`:");
  for (const { path, kind, ecosystem, part } of protectedFiles) {
    const language = ecosystem === "any" ? [] : [ecosystem];
    const what = [kind, ...language, ...(part === undefined ? [] : ["in part"])].join(", ");
    printLine(stdout, `  ${displayPath(path)}  ${colours.dim(what)}`);
  }
}

function pathsOf({ path, from }: ChangedFile): string {
  return from === undefined ? displayPath(path) : `${displayPath(from)} → ${displayPath(path)}`;
}
