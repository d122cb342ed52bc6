import type { RunEvent } from "../core/run-event.ts";
import { finishedLine, formatDuration, plainLines } from "../report/plain-lines.ts";
import { printLine, type Terminal } from "./terminal.ts";

/** Shows a run while it goes on. */
export interface Progress {
  readonly onEvent: (event: RunEvent) => void;
  readonly end: () => void;
}

export interface ProgressOptions {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

/** One live line per running gate on a terminal, plain lines elsewhere, on stderr when stdout is for JSON. */
export function showProgress(terminal: Terminal, options: ProgressOptions): Progress {
  if (options.quiet) return { onEvent: () => {}, end: () => {} };
  if (terminal.stdout.isTTY && !options.json) return liveProgress(terminal);
  const stream = options.json ? terminal.stderr : terminal.stdout;
  return { onEvent: (event) => plainLines(event).forEach((line) => printLine(stream, line)), end: () => {} };
}

const REDRAW_MS = 100;

function liveProgress({ stdout, colours }: Terminal): Progress {
  const running = new Map<string, { readonly since: number; readonly doing: string }>();
  let drawn = 0;
  const erase = (): void => {
    if (drawn > 0) stdout.write(`\u001b[${drawn}A\u001b[0J`);
    drawn = 0;
  };
  const draw = (): void => {
    const width = (stdout.columns ?? 80) - 1;
    for (const [id, { since, doing }] of running) {
      const line = `  … ${id} ${formatDuration(Math.round(performance.now() - since))}${doing}`;
      stdout.write(`${colours.dim(line.slice(0, width))}\n`);
      drawn += 1;
    }
  };
  const timer = setInterval(() => {
    erase();
    draw();
  }, REDRAW_MS);
  return {
    onEvent: (event) => {
      erase();
      if (event.kind === "gate-started")
        running.set(event.planned.id, { since: performance.now(), doing: "" });
      else if (event.kind === "gate-progressed") {
        const since = running.get(event.planned.id)?.since ?? performance.now();
        running.set(event.planned.id, { since, doing: `  ${event.text}` });
      } else if (event.kind === "gate-finished") {
        running.delete(event.outcome.id);
        printLine(stdout, coloured(finishedLine(event.outcome), colours));
      } else plainLines(event).forEach((line) => printLine(stdout, line));
      draw();
    },
    end: () => {
      clearInterval(timer);
      erase();
    },
  };
}

function coloured(line: string, colours: Terminal["colours"]): string {
  if (line.startsWith("[PASS]")) return line.replace("[PASS]", colours.green("✓"));
  if (line.startsWith("[FAIL]")) return line.replace("[FAIL]", colours.red("✗"));
  return line.replace(/^\[(\w+)\]/, (label) => colours.yellow(label));
}
