import { elapsedMs } from "../machine/clock.ts";
import { displayPath } from "../core/path.ts";
import type { RunEvent } from "../core/run.ts";
import { formatDuration, plainLines } from "../report/plain-lines.ts";
import { printLine, type Terminal } from "./terminal.ts";

/** Shows a run while it goes on; disposing it leaves the screen in order. */
export interface Progress extends Disposable {
  readonly onEvent: (event: RunEvent) => void;
}

export interface ProgressOptions {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

/** One live line per running gate on a terminal, plain lines elsewhere, on stderr when stdout is for JSON. */
export function showProgress(terminal: Terminal, options: ProgressOptions): Progress {
  if (options.quiet) return lineProgress((event) => printWarning(terminal, event));
  const isLive = terminal.stdout.isTTY === true && terminal.env["TERM"] !== "dumb" && !options.json;
  if (isLive) return liveProgress(terminal, options);
  const stream = options.json ? terminal.stderr : terminal.stdout;
  return lineProgress((event) => linesOf(event, options).forEach((line) => printLine(stream, line)));
}

function lineProgress(onEvent: Progress["onEvent"]): Progress {
  return { onEvent, [Symbol.dispose]: () => {} };
}

/** However quiet: warnings are shown, beside the output. */
function printWarning({ stderr }: Terminal, event: RunEvent): void {
  if (event.kind === "warned") plainLines(event).forEach((line) => printLine(stderr, line));
}

function linesOf(event: RunEvent, { verbose }: ProgressOptions): readonly string[] {
  if (!verbose || event.kind !== "run-planned") return plainLines(event);
  const { changes, plan } = event;
  return [
    ...plainLines(event),
    ...changes.files.map(({ change, path }) => `  ${change.padEnd(9)} ${displayPath(path)}`),
    ...plan.gates.map(({ id, reason }) => `  ${id}: ${reason}`),
    ...plan.skipped.map(({ id, reason }) => `[SKIP] ${id} ${reason}`),
  ];
}

const REDRAW_MS = 100;

interface RunningGate {
  readonly since: number;
  readonly doing: string;
}

function liveProgress(terminal: Terminal, options: ProgressOptions): Progress {
  const { stdout } = terminal;
  const running = new Map<string, RunningGate>();
  let drawn = 0;
  const redraw = (above: readonly string[] = []): void => {
    const live = liveLines(terminal, running);
    const erase = drawn > 0 ? `\u001b[${drawn}A\u001b[0J` : "";
    drawn = live.length;
    stdout.write(erase + [...above, ...live].map((line) => `${line}\n`).join("")); // one write: no flicker
  };
  const timer = setInterval(redraw, REDRAW_MS, []);
  return {
    onEvent: (event) => redraw(follow(running, event) ?? linesOf(event, options).map(colouring(terminal))),
    [Symbol.dispose]: () => {
      clearInterval(timer);
      running.clear();
      redraw();
    },
  };
}

/** Keeps account of what runs. Events that only change the live lines leave no line of their own. */
function follow(running: Map<string, RunningGate>, event: RunEvent): readonly string[] | undefined {
  if (event.kind === "gate-started") {
    running.set(event.planned.id, { since: elapsedMs(), doing: "" });
    return [];
  }
  if (event.kind === "gate-progressed") {
    const since = running.get(event.planned.id)?.since ?? elapsedMs();
    running.set(event.planned.id, { since, doing: `  ${event.text}` });
    return [];
  }
  if (event.kind === "gate-finished") running.delete(event.outcome.id);
  return undefined;
}

/** Never more lines than the screen has, or they could not be taken back; never one that wraps. */
function liveLines(
  { stdout, colours }: Terminal,
  running: ReadonlyMap<string, RunningGate>,
): readonly string[] {
  const width = (stdout.columns || 80) - 1;
  const room = Math.max(1, (stdout.rows || 24) - 2);
  const lines = [...running].map(([id, { since, doing }]) => {
    const elapsed = formatDuration(Math.round(elapsedMs() - since));
    return `… ${id} (${elapsed})${doing}`;
  });
  const shown =
    lines.length > room ? [...lines.slice(0, room - 1), `… and ${lines.length - room + 1} more`] : lines;
  return shown.map((line) => colours.dim(line.slice(0, width)));
}

/** The log of a failure is named again below the useful part of its output. */
function colouring(terminal: Terminal): (line: string) => string {
  return (line) => marked(terminal, line.startsWith("[FAIL]") ? line.replace(LOG_PATH, "") : line);
}

/** A plain line with ✓, ✗ or ! in place of its label, on a terminal. */
export function marked({ stdout, env, colours }: Terminal, line: string): string {
  if (stdout.isTTY !== true || env["TERM"] === "dumb") return line;
  if (line.startsWith("[PASS]")) return line.replace("[PASS]", colours.green("✓"));
  if (line.startsWith("[FAIL]")) return line.replace("[FAIL]", colours.red("✗"));
  return line.replace(/^\[(WARN|ERROR|SKIP)\]/, (_, label: string) => colours.yellow(MARKS[label] ?? label));
}

const LOG_PATH = / Log: \S+$/;

const MARKS: Readonly<Record<string, string>> = { WARN: "!", ERROR: "!", SKIP: "-" };
