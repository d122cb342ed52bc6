import { columnsOf, type Terminal, printLine, printText } from "../../report/terminal.ts";
import { closingLines } from "../../report/closing-lines.ts";
import { gateLabels } from "../../report/plain-lines.ts";
import { wrapText } from "../../report/wrap.ts";
import { loadSettings } from "../../config/gauntlet/load.ts";
import type { Settings } from "../../config/settings.ts";
import { collectReport } from "../../run/read-outcome.ts";
import { now } from "../../system/clock.ts";
import { logDirOf } from "../../system/logs/log-dir.ts";
import { explainJson } from "../../report/json/explain-json.ts";
import { explainStop } from "../../report/explain-stop.ts";
import { EXIT } from "../../report/exit-code.ts";
import { errorJson } from "../../report/json/json.ts";
import type { PastStop, StopRecord } from "../../stop/session.ts";
import { ledgerOf } from "../../ledger/ledger.ts";
import { findProject } from "../../system/files/find-project.ts";
import { readLedger } from "../../ledger/ledger-lines.ts";
import { explain } from "../../trouble.ts";
import { isHere, pastRun, pastStops } from "../../ledger/past.ts";
import { listSessions } from "../../stop/session-store.ts";
import { counted } from "../../words.ts";

export interface ExplainOptions {
  /** 1, and the flag alone, is the last stop, 2 the one before it. */
  readonly last?: number | true;
  /** Only stops of this session; the beginning of its id is enough. */
  readonly session?: string;
  readonly json?: boolean;
  /** Also what was asked before any gate, the plan and the raw answer. */
  readonly verbose?: boolean;
  /** The last stop of each session, wherever that was. */
  readonly anywhere?: boolean;
}

/** Shows why a stop was blocked, allowed or deferred: the last one here, or an earlier one. */
export async function explainCommand(terminal: Terminal, options: ExplainOptions): Promise<number> {
  const { json, last = true } = options;
  const stops = options.anywhere ? stopsAnywhere(terminal) : stopsHere(terminal);
  if (typeof stops === "string") return refuse(terminal, stops, json);
  const wanted = last === true ? 1 : last;
  let seen = 0;
  for (const stop of stops) {
    if (!isOfSession(stop, options.session) || ++seen < wanted) continue;
    if (json) printLine(terminal.stdout, explainJson(stop));
    else await showStop(terminal, stop, options.verbose);
    return EXIT.ok;
  }
  return refuse(terminal, whyNone(seen, options), json);
}

/** For people, in the width of their terminal. */
export async function showStop(terminal: Terminal, stop: PastStop, isVerbose?: boolean): Promise<void> {
  const root = findProject(terminal.cwd);
  const loaded = root === undefined ? undefined : await loadSettings(root, terminal.env);
  const settings = loaded?.ok === true ? loaded.value.settings : undefined;
  const problems = settings === undefined ? [] : await problemsIn(terminal, stop, settings);
  const facts = { now: now(), maxRetries: settings?.maxRetries, problems, isVerbose };
  printText(terminal.stdout, wrapText(explainStop(stop, facts), columnsOf(terminal)));
}

/** What blocked, read again from the logs of its run as long as they are kept. */
async function problemsIn(
  terminal: Terminal,
  { line }: PastStop,
  { root, logDir }: Settings,
): Promise<readonly string[]> {
  if (line?.outcomes === undefined || line.decision !== "block") return [];
  const { env, colours } = terminal;
  const { outcomes } = pastRun({ root, logDir: logDirOf(root, logDir), env }, line);
  const report = await collectReport(root, outcomes, env);
  return closingLines(report, { labelOf: gateLabels(outcomes), colours, columns: columnsOf(terminal) });
}

function refuse({ stdout, stderr }: Terminal, message: string, json: boolean | undefined): number {
  if (json) printLine(stdout, errorJson("explain", "error", message));
  printLine(stderr, message);
  return EXIT.notOk;
}

/** What the ledger has of this work tree. */
function stopsHere({ cwd, env }: Terminal): Iterable<PastStop> | string {
  const ledger = ledgerOf(findProject(cwd) ?? cwd, env);
  const read = readLedger(ledger);
  if (!read.ok) return explain(read.trouble);
  const remembered = { details: lastStops(env), isHere: (one: StopRecord) => isHere(one, cwd) };
  return pastStops(read.value, ledger.worktree, remembered);
}

/** Stops outside of projects are in no ledger. */
function stopsAnywhere({ env }: Terminal): Iterable<PastStop> {
  return lastStops(env).map((details) => ({ details }));
}

function lastStops(env: Terminal["env"]) {
  return listSessions(env).flatMap(({ session }) => session.lastStop ?? []);
}

function isOfSession({ line, details }: PastStop, session: string | undefined): boolean {
  const ids = [line?.session, details?.event.sessionId];
  return session === undefined || ids.some((id) => id?.startsWith(session));
}

function whyNone(stops: number, { anywhere, session }: ExplainOptions): string {
  const where = `${session === undefined ? "" : ` of session ${session}`}${anywhere ? "" : " in this project"}`;
  if (stops > 0)
    return `Only ${counted(stops, "stop")}${where} ${stops === 1 ? "is" : "are"} recorded: \`--last ${stops}\` is the oldest.`;
  return `No stop${where} has been recorded. \`agent-gauntlet doctor\` shows whether the hook is registered.`;
}
