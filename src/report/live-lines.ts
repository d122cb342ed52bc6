import stringWidth from "string-width";
import { formatDuration } from "../words.ts";

export interface LiveGate {
  readonly label: string;
  readonly elapsedMs: number;
  /** What it took the last times, where that is known. */
  readonly expectedMs?: number | undefined;
  readonly doing: string;
}

export interface QueuedGate {
  readonly label: string;
  readonly why: string;
}

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly frame: number;
}

/** One line for each running gate and one for all that wait. Never a line that wraps, never more than the screen can take back. */
export function liveLines(
  running: readonly LiveGate[],
  queued: readonly QueuedGate[],
  screen: Screen,
): readonly string[] {
  const waiting = queued.length === 0 ? [] : [queueLine(queued)];
  const room = Math.max(1, screen.rows - 2 - waiting.length);
  const hidden = running.length > room ? running.length - room + 1 : 0;
  const nameWidth = Math.max(0, ...running.map(({ label }) => stringWidth(label)));
  const lines = running
    .slice(0, running.length - hidden)
    .map((gate) => gateLine(gate, { nameWidth: Math.min(nameWidth, 24), frame: screen.frame }));
  const more = hidden === 0 ? [] : [`… and ${hidden} more`];
  return [...lines, ...more, ...waiting].map((line) => fit(line, screen.columns - 1));
}

/** How many rows a terminal needs for these lines: one that was made narrower has wrapped what was on it. */
export function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)), 0);
}

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

function gateLine(
  { label, elapsedMs, expectedMs, doing }: LiveGate,
  { nameWidth, frame }: { readonly nameWidth: number; readonly frame: number },
): string {
  const mark = SPINNER[frame % SPINNER.length] ?? "…";
  const name = label + " ".repeat(Math.max(0, nameWidth - stringWidth(label)));
  const isWorthABar = expectedMs !== undefined && expectedMs >= 1000;
  const time = isWorthABar ? timeAndBar(elapsedMs, expectedMs) : inSeconds(elapsedMs);
  return `${mark} ${name} ${time}${doing === "" ? "" : `  ${doing}`}`;
}

const BAR_WIDTH = 8;

function timeAndBar(elapsedMs: number, expectedMs: number): string {
  const full = Math.min(BAR_WIDTH, Math.floor((elapsedMs / Math.max(1, expectedMs)) * BAR_WIDTH));
  const bar = "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
  return `${inSeconds(elapsedMs)} of ~${inSeconds(expectedMs)} ${bar}`;
}

/** Milliseconds of a clock that is redrawn ten times a second are noise. */
function inSeconds(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : formatDuration(ms);
}

function queueLine(queued: readonly QueuedGate[]): string {
  const list = queued.map(({ label, why }) => `${label} (${why})`).join(", ");
  return `· ${queued.length} queued: ${list}`;
}

function fit(line: string, width: number): string {
  if (stringWidth(line) <= width) return line;
  let text = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    text += segment;
  }
  return `${text}…`;
}
