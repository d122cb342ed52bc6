import { gateId } from "../../core/gate-ref.ts";
import type { Settings } from "../../core/settings.ts";
import {
  type OpenFailure,
  type PassRecord,
  resumeSession,
  type SessionHistory,
  type WorkTreeHistory,
} from "../../core/history.ts";
import { listSessions, readWorkTree } from "../../machine/state/history.ts";
import { passDirOf } from "../../machine/state/passes.ts";
import { logDirOf } from "../../machine/logs/log-dir.ts";
import { type SessionFacts, statusJson } from "../../report/json.ts";
import { counted, finishedLine, whatItCameTo } from "../../report/plain-lines.ts";
import { EXIT } from "../exit-code.ts";
import { openSettings } from "../open-settings.ts";
import { printLine, type Terminal } from "../terminal.ts";

export interface StatusOptions {
  readonly json?: boolean;
}

/** Shows where things stand: the last run, gate by gate, and what is still open in which session. */
export async function statusCommand(terminal: Terminal, { json }: StatusOptions): Promise<number> {
  const settings = await openSettings(terminal, { command: "status", json });
  if (typeof settings === "number") return settings;
  const { stateDir } = logDirOf(settings.root, settings.logDir);
  const workTree = readWorkTree(stateDir, passDirOf(settings.root, terminal.env));
  const stored = listSessions(stateDir);
  const sessions = openSessions(stored, settings, workTree.value.pass);
  for (const { warning } of [workTree, ...stored])
    if (warning !== undefined) printLine(terminal.stderr, warning);
  if (json) printLine(terminal.stdout, statusJson(workTree.value, sessions));
  else printStatus(terminal, workTree.value, sessions);
  return EXIT.ok;
}

/** The sessions with something open or spent; what a later pass has closed is not open. */
function openSessions(
  stored: Awaited<ReturnType<typeof listSessions>>,
  { maxRetries }: Settings,
  pass: PassRecord | undefined,
): readonly SessionFacts[] {
  return stored
    .map(({ id, value }) => ({
      id,
      history: resumeSession(value, { pass, fingerprint: value.gaveUpOn }),
    }))
    .map(({ id, history }) => ({ id, history, attemptsLeft: Math.max(0, maxRetries - history.attempts) }))
    .filter(({ history }) => history.openFailures.length > 0 || history.gaveUpOn !== undefined);
}

function printStatus(
  { stdout, colours }: Terminal,
  { lastRun, pass }: WorkTreeHistory,
  sessions: readonly SessionFacts[],
): void {
  if (lastRun === undefined) return printLine(stdout, "No run yet. Start one with `agent-gauntlet run`.");
  printLine(stdout, `${colours.bold(`Run ${lastRun.number}`)}: ${whatItCameTo(lastRun)}`);
  for (const outcome of lastRun.outcomes) printLine(stdout, `  ${finishedLine(outcome)}`);
  if (pass !== undefined)
    printLine(stdout, `Last pass: run ${pass.runNumber}, ${new Date(pass.at).toISOString()}`);
  for (const { id, history, attemptsLeft } of sessions) {
    const budget = history.gaveUpOn === undefined ? `${counted(attemptsLeft, "attempt")} left` : "gave up";
    printLine(stdout, `Session ${id}: ${budget}`);
    for (const failure of history.openFailures) printFailure(stdout, failure, history);
  }
}

function printFailure(
  stdout: Terminal["stdout"],
  { gate, runNumber }: OpenFailure,
  { told }: SessionHistory,
): void {
  const id = gateId(gate);
  const since = told[id]?.since;
  printLine(stdout, `  still failing: ${id} (since run ${runNumber})`);
  if (since !== undefined) printLine(stdout, `    ${since}`);
}
