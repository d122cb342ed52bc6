import { stripVTControlCharacters } from "node:util";
import type { PlannedGate } from "../gates/gate.ts";
import type { RunEvent } from "../run/request.ts";
import { elapsedMs } from "../system/clock.ts";
import { type LiveGate, liveLines, type QueuedGate, rowsOf } from "./live-lines.ts";
import type { LabelOf } from "./plain-lines.ts";
import {
  eventLines,
  marked,
  planLabels,
  type Progress,
  type ProgressOptions,
  usualTimesOf,
} from "./progress.ts";
import type { Terminal } from "./terminal.ts";

const REDRAW_MS = 100;

/** Lines at the bottom of the terminal that are drawn again and again, below those that stay. */
export function liveProgress(terminal: Terminal, options: ProgressOptions): Progress {
  const { stdout } = terminal;
  const run = new LiveRun(usualTimesOf(terminal));
  const lines = eventLines(options);
  let drawn: readonly string[] = [];
  let frame = 0;
  const redraw = (above: readonly string[] = []): void => {
    const columns = stdout.columns || 80;
    const live = run.lines({ columns, rows: stdout.rows || 24, frame: frame++ });
    const erase = drawn.length > 0 ? `\u001b[${rowsOf(drawn, columns)}A\u001b[0J` : "";
    drawn = live;
    const shown = [...above, ...live.map((line) => terminal.colours.dim(line))];
    stdout.write(erase + shown.map((line) => `${line}\n`).join("")); // one write: no flicker
  };
  const timer = setInterval(redraw, REDRAW_MS, []);
  return {
    onEvent: (event) => {
      const isDrawnOnly = run.follow(event);
      redraw(isDrawnOnly ? [] : lines(event).map((line) => marked(terminal, line)));
    },
    onOutput: (gate, chunk) => run.print(gate, chunk),
    [Symbol.dispose]: () => {
      clearInterval(timer);
      run.end();
      redraw();
    },
  };
}

interface Running {
  readonly since: number;
  doing: string;
}

class LiveRun {
  readonly #usual: ReadonlyMap<string, number>;
  readonly #running = new Map<string, Running>();
  readonly #queued = new Map<string, PlannedGate>();
  #labelOf: LabelOf = (id) => id;

  constructor(usual: ReadonlyMap<string, number>) {
    this.#usual = usual;
  }

  /** Whether the event changes only what is drawn, and prints no line. */
  follow(event: RunEvent): boolean {
    if (event.kind === "run-planned") {
      this.#labelOf = planLabels(event.plan);
      for (const planned of event.plan.gates) this.#queued.set(planned.id, planned);
    }
    if (event.kind === "gate-started") {
      this.#queued.delete(event.planned.id);
      this.#running.set(event.planned.id, { since: elapsedMs(), doing: "" });
    }
    if (event.kind === "gate-progressed") this.#does(event.planned.id, event.text);
    if (event.kind === "gate-finished") {
      this.#queued.delete(event.outcome.id);
      this.#running.delete(event.outcome.id);
    }
    return event.kind === "gate-started" || event.kind === "gate-progressed";
  }

  print(gate: string, chunk: Uint8Array): void {
    const text = stripVTControlCharacters(Buffer.from(chunk.subarray(-MAX_LINE_BYTES)).toString("utf8"));
    const last = text.split(/[\r\n]+/).findLast((line) => line.trim() !== "");
    if (last !== undefined) this.#does(gate, last.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ").trim());
  }

  lines(screen: Parameters<typeof liveLines>[2]): readonly string[] {
    const running = [...this.#running].map(([id, { since, doing }]): LiveGate => {
      return {
        label: this.#labelOf(id),
        elapsedMs: elapsedMs() - since,
        expectedMs: this.#usual.get(id),
        doing,
      };
    });
    const queued = running.length === 0 ? [] : [...this.#queued.values()].map((one) => this.#waiting(one));
    return liveLines(running, queued, screen);
  }

  end(): void {
    this.#running.clear();
    this.#queued.clear();
  }

  #does(gate: string, doing: string): void {
    const running = this.#running.get(gate);
    if (running !== undefined) running.doing = doing;
  }

  #waiting({ id, gate }: PlannedGate): QueuedGate {
    const needs = (gate.needs ?? []).filter((name) => this.#isAhead(name));
    const turn = gate.parallel ? "others run first" : "one after another";
    return { label: this.#labelOf(id), why: needs.length > 0 ? `needs ${needs.join(", ")}` : turn };
  }

  /** Whether a gate of this name has not ended yet. */
  #isAhead(name: string): boolean {
    return [...this.#running.keys(), ...this.#queued.keys()].some((id) => id.endsWith(`:${name}`));
  }
}

const MAX_LINE_BYTES = 4096;
