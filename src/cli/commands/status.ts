import { displayPath } from "../../path.ts";
import type { Settings } from "../../config/settings.ts";
import { type OpenGate, resume, type RetryState, openGates } from "../../stop/retry-state.ts";
import type { PassRecord } from "../../stop/passes.ts";
import { readWorkTree } from "../../stop/work-tree-store.ts";
import { unheardHere } from "../../features/firing/unheard.ts";
import { unhookedFiles } from "../../stop/hook-removal.ts";
import { retriesIn, startIn } from "../../stop/session.ts";
import type { Skip } from "../../features/trust/spoken.ts";
import { ok, type Result } from "../../trouble.ts";
import { findRun, pastStops, type RunPlace } from "../../ledger/past.ts";
import { projectStateDir } from "../../system/state/state-keys.ts";
import { logDirOf } from "../../system/logs/log-dir.ts";
import { flakyIn, readLedger } from "../../ledger/ledger-lines.ts";
import { ledgerOf } from "../../ledger/ledger.ts";
import { COMMAND_LINE, type ListedSession, listSessions, shownId } from "../../stop/session-store.ts";
import { lockHolder, type LockHolder } from "../../system/state/lock.ts";
import { type SessionFacts, type StatusFacts, statusJson } from "../../report/json/json.ts";
import { finishedLine, gateLabels, type LabelOf, summaryOf } from "../../report/plain-lines.ts";
import { ago, counted } from "../../words.ts";
import { runSummary, flakyLines, lastStopLine } from "../../report/summary-lines.ts";
import { readSkips } from "../../features/trust/skip-store.ts";
import { EXIT } from "../../report/exit-code.ts";
import { openSettings, tellTrouble } from "../../report/open-settings.ts";
import { marked, usualTimesOf } from "../../report/progress.ts";
import { columnsOf, printLine, type Terminal } from "../../report/terminal.ts";
import { wrapText } from "../../report/wrap.ts";
import { shortStatusOf } from "./statusline.ts";

export interface StatusOptions {
  readonly short?: boolean;
  readonly json?: boolean;
  /** Whether the files as they are now have passed, where that is known. */
  readonly describeWorkTree?: (place: {
    readonly root: string;
    readonly env: Terminal["env"];
  }) => Promise<string | undefined>;
}

/** Shows where things stand: the last run, gate by gate, and what is still open in which session. */
export async function statusCommand(terminal: Terminal, options: StatusOptions): Promise<number> {
  const { json, short } = options;
  if (short) return printShort(terminal);
  const settings = await openSettings(terminal, { command: "status", json });
  if (typeof settings === "number") return settings;
  const logDir = logDirOf(settings.root, settings.logDir);
  const running = lockHolder(logDir.lockFile);
  const { value, warning } = readWorkTree(projectStateDir(settings.root, terminal.env));
  const { pass } = value;
  const sessions = openSessions(listSessions(terminal.env), settings, pass);
  if (warning !== undefined) printLine(terminal.stderr, warning);
  const past = pastOf({ root: settings.root, logDir, env: terminal.env });
  if (!past.ok) return tellTrouble(terminal, past.trouble, { command: "status", json });
  const skips = readSkips(settings.root, terminal.env, Date.now());
  const unhooked = unhookedSince(settings.root, terminal);
  const unheard = await unheardHere(settings.root, terminal.env, pass?.at ?? 0);
  const facts = { ...past.value, pass, skips, unhooked, unheard };
  if (json) printLine(terminal.stdout, statusJson(facts, sessions, running));
  else {
    if (running !== undefined) printLine(terminal.stdout, runningLine(running));
    const now = await options.describeWorkTree?.({ root: settings.root, env: terminal.env });
    if (now !== undefined && facts.lastRun !== undefined)
      printLine(terminal.stdout, wrapText(now, columnsOf(terminal)));
    printStatus(terminal, facts, sessions);
    printUnchecked(terminal, facts);
  }
  return EXIT.ok;
}

function runningLine({ pid, since, by }: LockHolder): string {
  const which = by?.isAhead === true ? " ahead of a stop" : "";
  return `A run${which} is in progress (pid ${pid}, since ${since}).`;
}

/** A hook that is gone cannot say so itself. */
function unhookedSince(root: string, { env }: Terminal): readonly string[] {
  const starts = listSessions(env).flatMap(({ session }) => startIn(session, root) ?? []);
  const last = starts.toSorted((one, other) => other.at - one.at)[0];
  return unhookedFiles(last?.hooks ?? []);
}

async function printShort(terminal: Terminal): Promise<number> {
  const line = await shortStatusOf(terminal);
  if (line !== undefined) printLine(terminal.stdout, line);
  return EXIT.ok;
}

/** What the ledger says about this work tree. A stop that ended before any gate ran is no run. */
function pastOf(place: RunPlace): Result<Omit<StatusFacts, "pass" | "skips" | "unhooked" | "unheard">> {
  const ledger = ledgerOf(place.root, place.env);
  const read = readLedger(ledger);
  if (!read.ok) return read;
  const stops = pastStops(read.value, ledger.worktree);
  return ok({
    lastStop: stops.next().value?.line,
    lastRun: findRun(place, read.value),
    flaky: flakyIn(read.value),
  });
}

/** The sessions with something open or spent; what a later pass has closed is not open. */
function openSessions(
  stored: readonly ListedSession[],
  { root, maxRetries }: Settings,
  pass: PassRecord | undefined,
): readonly SessionFacts[] {
  return stored
    .map(({ id, session }) => ({ id: shownId(id), known: retriesIn(session, root) }))
    .map(({ id, known }) => ({ id, retries: resume(known, { pass, fingerprint: known.gaveUpOn }) }))
    .map(({ id, retries }) => ({ id, retries, attemptsLeft: Math.max(0, maxRetries - retries.attempts) }))
    .filter(({ retries }) => openGates(retries).length > 0 || retries.gaveUpOn !== undefined);
}

function printStatus(
  terminal: Terminal,
  { lastRun, pass, lastStop, flaky }: StatusFacts,
  sessions: readonly SessionFacts[],
): void {
  const { stdout, colours } = terminal;
  const now = Date.now();
  if (lastStop !== undefined) printLine(stdout, lastStopLine(lastStop, now));
  if (lastRun === undefined) return printLine(stdout, "No run yet. Start one with `agent-gauntlet run`.");
  printLine(stdout, `${colours.bold(`Run ${lastRun.number}`)}: ${summaryOf(lastRun, now)}`);
  const labelOf = gateLabels(lastRun.outcomes);
  for (const outcome of lastRun.outcomes)
    printLine(stdout, `  ${marked(terminal, finishedLine(outcome, labelOf))}`);
  const summary = runSummary(lastRun.outcomes, { usual: usualTimesOf(terminal), labelOf });
  if (summary !== undefined) printLine(stdout, `  ${summary}`);
  if (pass !== undefined) printLine(stdout, `Last pass: run ${pass.runNumber}, ${ago(pass.at, now)}`);
  for (const { id, retries, attemptsLeft } of sessions) {
    const isManual = id === COMMAND_LINE;
    const left = isManual ? [] : [`${counted(attemptsLeft, "attempt")} left`]; // manual runs block nobody
    const budget = retries.gaveUpOn === undefined ? left : ["gave up"];
    printLine(stdout, [isManual ? "Manual runs" : `Session ${id}`, ...budget].join(": "));
    for (const failure of openGates(retries)) printFailure(stdout, failure, { told: retries.told, labelOf });
  }
  for (const line of flakyLines(flaky)) printLine(stdout, line);
}

function printFailure(
  stdout: Terminal["stdout"],
  { id, runNumber }: OpenGate,
  { told, labelOf }: Pick<RetryState, "told"> & { readonly labelOf: LabelOf },
): void {
  const since = told[id]?.since;
  printLine(stdout, `  still failing: ${labelOf(id)} (since run ${runNumber})`);
  if (since !== undefined) printLine(stdout, `    ${since}`);
}

/** What no stop is about: prompts that nobody asked us of, skips, and hooks that are gone. */
function printUnchecked({ stdout }: Terminal, { unheard, skips, unhooked }: StatusFacts): void {
  if (unheard.length > 0) printLine(stdout, unheardLine(unheard));
  for (const skip of skips) printLine(stdout, skipLine(skip));
  for (const file of unhooked)
    printLine(stdout, `${displayPath(file)} no longer has the stop hook that the last session began with.`);
}

function unheardLine(unheard: StatusFacts["unheard"]): string {
  const last = unheard.at(-1);
  const when = last === undefined ? "" : ago(last.at, Date.now());
  return `Not checked: ${counted(unheard.length, "prompt")} ended without our stop hook, the last ${when}: ${last?.why ?? ""}`;
}

function skipLine({ gate, reason, until, session }: Skip): string {
  const howLong = until === undefined ? "at the next stop" : `until ${new Date(until).toISOString()}`;
  return `Skipped ${session === undefined ? howLong : `in session ${session}`}: ${gate ?? "every gate"} (${displayPath(reason)})`;
}
