import { basename, join } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import type { PastRun } from "../../stop/passes.ts";
import { describeOutcome, type GateOutcome, isBlocking } from "../../gates/outcome.ts";
import type { VerdictRecord } from "../../ledger/verdict-record.ts";
import { cleanText, visibleName } from "../../feedback/text/clean-text.ts";
import { secretMasker } from "../../system/logs/mask-secrets.ts";
import type { Problem } from "../../feedback/problem.ts";
import { modifiedAt, readBytes, readText } from "../../system/files/files.ts";
import { isInside } from "../../system/files/is-inside.ts";
import type { LogDir } from "../../system/logs/log-dir.ts";
import type { Environment } from "../../system/process/environment.ts";
import { withOwnCommand } from "../../system/process/runtime.ts";
import { readLedger, verdictsIn } from "../../ledger/ledger-lines.ts";
import { type Ledger, ledgerOf } from "../../ledger/ledger.ts";
import {
  frameAround,
  toldIn,
  type AttemptView,
  type FileProblems,
  type GateView,
  type LogView,
  type ProblemView,
  type RunPage,
} from "./page-data.ts";
import { problemsOf, type RunReport } from "../../report/run-report.ts";
import { isRunOf, type RunPlace, withOwnFiles } from "../../ledger/past.ts";
import { collectReport } from "../../run/read-outcome.ts";

export async function collectRunPage(place: RunPlace, run: PastRun): Promise<RunPage> {
  const { root, env } = place;
  const clean = cleaner(env);
  const outcomes = run.outcomes.map((outcome) => withOwnFiles(outcome, place, run.completedAt));
  const report = await collectReport(root, outcomes, env);
  const maxChars = Math.min(MOST_LOG_CHARS, Math.floor(MOST_CHARS / Math.max(1, outcomes.length)));
  const { branch, head } = run;
  const gates = outcomes.map((outcome) => gateView(outcome, logOf(outcome, place, { clean, maxChars })));
  return {
    kind: "run",
    version: packageJson.version,
    project: visibleName(basename(root)),
    root: visibleName(root),
    status: run.status,
    completedAt: run.completedAt,
    run: run.number,
    branch: branch === undefined ? undefined : visibleName(branch),
    commit: head,
    gates,
    files: filesOf(report, gates, { ...place, clean, since: run.completedAt }),
    attempts: run.number === undefined ? [] : attemptsUpTo(place, run, clean),
  };
}

type Clean = (text: string) => string;

function cleaner(env: Environment): Clean {
  const mask = secretMasker(env);
  return (text) => mask(cleanText(text));
}

function gateView(outcome: GateOutcome, log: LogView | undefined): GateView {
  const { id, name, scope, gate, kind, durationMs, startedMs } = outcome;
  const reused = kind === "passed" && outcome.reused !== undefined ? ("reuse" as const) : undefined;
  return {
    id: visibleName(id),
    name: visibleName(name),
    scope: visibleName(scope),
    gate,
    outcome: kind,
    words: cleanText(describeOutcome(outcome)),
    blocks: isBlocking(outcome),
    ms: durationMs,
    startedMs,
    rests: (kind === "passed" ? outcome.rests : undefined) ?? reused,
    log,
  };
}

/** As much as a browser shows without a pause, of one log and of all. */
const MOST_LOG_CHARS = 400_000;
const MOST_CHARS = 8_000_000;
const MOST_LOG_BYTES = 64 * 1024 * 1024;

function logOf(
  { logPath }: GateOutcome,
  { root }: RunPlace,
  { clean, maxChars }: { readonly clean: Clean; readonly maxChars: number },
): LogView | undefined {
  const bytes = logPath === undefined ? undefined : readBytes(join(root, logPath), MOST_LOG_BYTES);
  if (logPath === undefined || bytes?.ok !== true) return undefined;
  const text = clean(bytes.value.toString("utf8"));
  const path = visibleName(logPath);
  if (text.length <= maxChars) return { path, text };
  const head = text.slice(0, Math.floor(maxChars / 4));
  const tail = text.slice(-Math.floor((maxChars * 3) / 4));
  const leftOut = text.length - head.length - tail.length;
  return { path, text: `${head}\n[… ${leftOut} characters left out …]\n${tail}`, leftOut };
}

interface Sources extends RunPlace {
  readonly clean: Clean;
  readonly since: number;
}

function filesOf(report: RunReport, gates: readonly GateView[], sources: Sources): readonly FileProblems[] {
  const byFile = new Map<string | undefined, { readonly gate: string; readonly problem: Problem }[]>();
  report.outcomes.forEach((outcome, at) => {
    const named = problemsOf(report, outcome);
    for (const problem of named.length > 0 ? named : unnamedProblem(outcome, gates[at])) {
      const found = byFile.get(problem.file) ?? [];
      byFile.set(problem.file, [...found, { gate: outcome.name, problem }]);
    }
  });
  return [...byFile]
    .toSorted(([one], [other]) => Number(one === undefined) - Number(other === undefined))
    .map(([file, found]) => {
      const source = sourceOf(file, sources);
      const problems = found.map(({ gate, problem }) => problemView(gate, problem, { sources, source }));
      return {
        file: file === undefined ? undefined : visibleName(file),
        isChanged: source?.isChanged === true ? true : undefined,
        problems,
      };
    });
}

const LAST_LINES = 15;

/** Of a gate that blocks and whose output names no problem: its reason and how its log ends. */
function unnamedProblem(outcome: GateOutcome, gate: GateView | undefined): readonly Problem[] {
  if (!isBlocking(outcome)) return [];
  const lines = gate?.log?.text.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
  return [{ severity: "error", message: describeOutcome(outcome), excerpt: lines || undefined }];
}

interface Source {
  readonly lines: readonly string[];
  readonly isChanged: boolean;
}

function sourceOf(file: string | undefined, { root, clean, since }: Sources): Source | undefined {
  if (file === undefined) return undefined;
  const path = join(root, file);
  const text = isInside(root, path) ? readText(path) : undefined;
  if (text?.ok !== true) return undefined;
  return { lines: clean(text.value).split("\n"), isChanged: (modifiedAt(path) ?? 0) > since };
}

function problemView(
  gate: string,
  problem: Problem,
  { sources, source }: { readonly sources: Sources; readonly source: Source | undefined },
): ProblemView {
  const { clean } = sources;
  const { severity, message, line, column, code, test, excerpt } = problem;
  const { isNew } = problem as { readonly isNew?: boolean };
  const frame = source === undefined || line === undefined ? undefined : frameAround(source.lines, line);
  return {
    gate: visibleName(gate),
    severity,
    message: clean(message),
    line,
    column,
    code: code === undefined ? undefined : visibleName(code),
    test: test === undefined ? undefined : clean(test),
    excerpt: excerpt === undefined ? undefined : clean(excerpt),
    isNew,
    frame,
  };
}

const MOST_ATTEMPTS = 20;

function attemptsUpTo({ root, logDir, env }: RunPlace, run: PastRun, clean: Clean): readonly AttemptView[] {
  const ledger = ledgerOf(root, env);
  const chain: VerdictRecord[] = [];
  for (const record of recordsOf(ledger)) {
    if (chain.length === 0 && !isRunOf(run, record)) continue;
    if (record.session !== (chain[0] ?? record).session || record.run === undefined) continue;
    if (chain.length > 0 && record.status.startsWith("passed")) break;
    chain.push(record);
    if (record.session === undefined || chain.length === MOST_ATTEMPTS) break;
  }
  return chain.toReversed().map((record) => attemptView(record, logDir, clean));
}

function* recordsOf(ledger: Ledger): Generator<VerdictRecord> {
  const read = readLedger(ledger);
  if (!read.ok) return;
  for (const record of verdictsIn(read.value)) if (record.worktree === ledger.worktree) yield record;
}

const SOON_MS = 60_000;

function attemptView(record: VerdictRecord, logDir: LogDir, clean: Clean): AttemptView {
  const { at, run = 0, status, decision, left, ms, outcomes = [] } = record;
  const path = join(logDir.path, `console.${run}.log`);
  const isItsLog = Math.abs((modifiedAt(path) ?? 0) - at) < SOON_MS && isInside(logDir.path, path);
  const text = decision === "block" && isItsLog ? readText(path) : undefined;
  const told = text?.ok === true ? toldIn(text.value) : undefined;
  return {
    at,
    run,
    status,
    ms,
    red: outcomes.filter(({ blocks }) => blocks).map(({ id }) => visibleName(id)),
    decision,
    left,
    told: told === undefined ? undefined : withOwnCommand(clean(told)),
  };
}
