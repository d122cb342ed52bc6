import { displayPath } from "../path.ts";
import type { RunEvent } from "../run/request.ts";
import { isCi } from "../system/process/environment.ts";
import { gateLabels, type LabelOf, plainLines } from "./plain-lines.ts";
import { printLine, type Terminal } from "./terminal.ts";
import { usualTimes } from "../ledger/verdict-record.ts";
import { findProject } from "../system/files/find-project.ts";
import { ledgerOf } from "../ledger/ledger.ts";
import { recentLines, verdictsIn } from "../ledger/ledger-lines.ts";

/** Shows a run while it goes on; disposing it leaves the screen in order. */
export interface Progress extends Disposable {
  readonly onEvent: (event: RunEvent) => void;
  readonly onOutput?: (gate: string, chunk: Uint8Array) => void;
}

export interface ProgressOptions {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

/** One live line per running gate on a terminal, plain lines elsewhere, on stderr when stdout is for JSON. */
export async function showProgress(terminal: Terminal, options: ProgressOptions): Promise<Progress> {
  if (options.quiet) return lineProgress((event) => printWarning(terminal, event));
  if (isLive(terminal) && !options.json) {
    const { liveProgress } = await import("./live-progress.ts"); // widths of characters: only a terminal needs them
    return liveProgress(terminal, options);
  }
  const stream = options.json ? terminal.stderr : terminal.stdout;
  const lines = eventLines(options);
  return lineProgress((event) => lines(event).forEach((line) => printLine(stream, line)));
}

/** Whether lines that were drawn can be taken back. A build server may pretend to be a terminal, but keeps every line. */
function isLive({ stdout, env }: Terminal): boolean {
  return stdout.isTTY === true && env["TERM"] !== "dumb" && !isCi(env);
}

function lineProgress(onEvent: Progress["onEvent"]): Progress {
  return { onEvent, [Symbol.dispose]: () => {} };
}

/** However quiet: warnings are shown, beside the output. */
function printWarning({ stderr }: Terminal, event: RunEvent): void {
  if (event.kind === "warned") plainLines(event).forEach((line) => printLine(stderr, line));
}

/** The lines of each event, with the names of the gates once the plan is known. */
export function eventLines({ verbose }: ProgressOptions): (event: RunEvent) => readonly string[] {
  let labelOf: LabelOf | undefined;
  return (event) => {
    if (event.kind !== "run-planned") return plainLines(event, labelOf);
    labelOf = planLabels(event.plan);
    return [...plainLines(event), ...(verbose ? planLines(event, labelOf) : [])];
  };
}

type Planned = Extract<RunEvent, { kind: "run-planned" }>;

export function planLabels({ gates, skipped }: Planned["plan"]): LabelOf {
  return gateLabels([
    ...gates.map(({ id, gate }) => ({ id, name: gate.name })),
    ...skipped.map(({ id }) => ({ id, name: /^[a-z]+:[^:]*:(.+)$/s.exec(id)?.[1] ?? id })),
  ]);
}

function planLines({ changes, plan }: Planned, labelOf: LabelOf): readonly string[] {
  return [
    ...changes.files.map(({ change, path }) => `  ${change.padEnd(9)} ${displayPath(path)}`),
    ...plan.gates.map(({ id, reason }) => `  ${labelOf(id)}: ${reason}`),
    ...skippedLines(plan, labelOf),
  ];
}

export function skippedLines(plan: Planned["plan"] | undefined, labelOf?: LabelOf): readonly string[] {
  if (plan === undefined) return [];
  const label = labelOf ?? planLabels(plan);
  return plan.skipped.map(({ id, reason }) => `[SKIP] ${label(id)} ${reason}`);
}

/** A plain line with ✓, ✗ or ! in place of its label, on a terminal. */
export function marked({ stdout, env, colours }: Terminal, line: string): string {
  if (stdout.isTTY !== true || env["TERM"] === "dumb") return line;
  if (line.startsWith("[PASS]")) return line.replace("[PASS]", colours.green("✓"));
  if (line.startsWith("[FAIL]")) return line.replace("[FAIL]", colours.red("✗"));
  return line.replace(/^\[(WARN|ERROR|SKIP)\]/, (_, label: string) => colours.yellow(MARKS[label] ?? label));
}

const MARKS: Readonly<Record<string, string>> = { WARN: "!", ERROR: "!", SKIP: "-" };

/** What gates took before; without a ledger nothing is known. */
export function usualTimesOf({ cwd, env }: Pick<Terminal, "cwd" | "env">): ReadonlyMap<string, number> {
  const root = findProject(cwd);
  return root === undefined ? new Map() : usualTimes([...verdictsIn(recentLines(ledgerOf(root, env)))]);
}
