import { displayPath } from "../../path.ts";
import { fail, type Result } from "../../trouble.ts";
import { flakyTests, type VerdictRecord } from "../../ledger/verdict-record.ts";
import { findProject } from "../../system/files/find-project.ts";
import { findBreak, type LedgerLines, readLedger, verdictsIn } from "../../ledger/ledger-lines.ts";
import { ledgerOf } from "../../ledger/ledger.ts";
import { counted } from "../../words.ts";
import { type CheckedLedger, logJson } from "../../report/json/log-json.ts";
import { forSharing } from "../../report/json/verdict-json.ts";
import { flakyLine } from "../../report/summary-lines.ts";
import { gateLines, isGate, verdictLine, verdictRow } from "../../report/verdict-lines.ts";
import { EXIT } from "../../report/exit-code.ts";
import { tellTrouble } from "../../report/open-settings.ts";
import { columnsOf, printLine, type Terminal } from "../../report/terminal.ts";

export interface LogOptions {
  readonly session?: string;
  readonly gate?: string;
  /** A moment, in milliseconds since the epoch. */
  readonly since?: number;
  readonly number?: number;
  readonly check?: boolean;
  /** Tests that passed only when repeated. */
  readonly flaky?: boolean;
  readonly export?: boolean;
  readonly json?: boolean;
}

/** Shows what was decided here, the newest first. */
export async function logCommand(terminal: Terminal, options: LogOptions): Promise<number> {
  const root = findProject(terminal.cwd);
  const read: Result<LedgerLines> =
    root === undefined
      ? fail({ kind: "no-config", searchedFrom: terminal.cwd })
      : readLedger(ledgerOf(root, terminal.env));
  if (!read.ok) return tellTrouble(terminal, read.trouble, { command: "log", json: options.json });
  if (options.check) return tellCheck(terminal, read.value, options);
  if (options.flaky) return tellFlaky(terminal, read.value, options);
  const records = chosen(read.value, options);
  if (options.export) for (const one of forSharing(records)) printLine(terminal.stdout, JSON.stringify(one));
  else if (options.json) printLine(terminal.stdout, logJson(records));
  else if (records.length === 0) return tellNothing(terminal, read.value, options);
  else print(terminal, records, options);
  return EXIT.ok;
}

/** A session that does not exist is a mistake; the last ones are named. */
function tellNothing({ stdout, stderr }: Terminal, lines: LedgerLines, { session }: LogOptions): number {
  const known = new Set<string>();
  for (const record of session === undefined ? [] : verdictsIn(lines, "")) {
    if (known.size === MOST_SESSIONS) break;
    if (record.session !== undefined) known.add(record.session);
  }
  if (session === undefined || [...known].some((one) => one.startsWith(session))) {
    printLine(stdout, "No verdict is recorded.");
    return EXIT.ok;
  }
  const last = known.size === 0 ? "None is recorded yet." : `The last ones are ${[...known].join(", ")}.`;
  printLine(stderr, `There is no session ${displayPath(session)} in the ledger. ${last}`);
  return EXIT.notOk;
}

const MOST_SESSIONS = 3;

const SHOWN = 20;

function chosen(lines: LedgerLines, options: LogOptions, text?: string): readonly VerdictRecord[] {
  const { session, gate, since = 0, number = options.export ? Infinity : SHOWN } = options;
  const found: VerdictRecord[] = [];
  for (const record of verdictsIn(lines, text ?? session ?? "")) {
    if (found.length >= number || record.at < since) break;
    const isAsked =
      (session === undefined || record.session?.startsWith(session)) &&
      (gate === undefined || record.outcomes?.some(({ id }) => isGate(id, gate)));
    if (isAsked) found.push(record);
  }
  return found;
}

/** A person at a terminal gets a line that fits on it; a pipe gets every field. */
function print(terminal: Terminal, records: readonly VerdictRecord[], { gate }: LogOptions): void {
  const { stdout, colours } = terminal;
  const columns = columnsOf(terminal);
  const lineOf = (record: VerdictRecord): string =>
    columns === undefined ? verdictLine(record) : verdictRow(record, { now: Date.now(), columns, colours });
  for (const record of records)
    for (const line of gate === undefined ? [lineOf(record)] : gateLines(record, gate))
      printLine(stdout, line);
}

function tellFlaky({ stdout }: Terminal, lines: LedgerLines, options: LogOptions): number {
  const { gate } = options;
  const found = flakyTests(chosen(lines, { number: Infinity, ...options }, '"flaky":'));
  const flaky = found.filter((one) => gate === undefined || isGate(one.gate, gate));
  if (options.json) printLine(stdout, logJson([], { flaky }));
  else if (flaky.length === 0) printLine(stdout, "No flaky test is recorded.");
  else for (const one of flaky) printLine(stdout, flakyLine(one));
  return EXIT.ok;
}

function tellCheck({ stdout, colours }: Terminal, ledger: LedgerLines, { json }: LogOptions): number {
  const broken = findBreak(ledger);
  const checked: CheckedLedger = { lines: ledger.lines.length, broken };
  const words =
    broken === undefined
      ? `${colours.green("✓")} The ledger is as it was written: ${counted(checked.lines, "line")}.`
      : `${colours.red("✗")} Line ${broken.line} of ${checked.lines}: ${broken.why}.`;
  printLine(stdout, json ? logJson([], { check: checked }) : words);
  return broken === undefined ? EXIT.ok : EXIT.notOk;
}
