import { formatDuration } from "../../../words.ts";
import type { Day, GateStats } from "../aggregate.ts";

const DAY_MS = 86_400_000;
const MOST_BARS = 92;

const PARTS = [
  ["blocked", "blocked", "bad"],
  ["fixed", "fixed", "good"],
  ["gaveUp", "given up", "warn"],
  ["notChecked", "not checked", "idle"],
] as const;

/** Stops per day, or per several days if there are many, up to today. The same numbers are on the page as a table. */
export function DayBars({ days }: { readonly days: readonly Day[] }) {
  const perBar = Math.ceil(days.length / MOST_BARS);
  const bars = barsOf(days, perBar);
  const most = Math.max(1, ...bars.map(({ total }) => total));
  return (
    <figure class="chart">
      <div class="bars" role="img" aria-label="Stops blocked, fixed, given up and not checked per day">
        {bars.map(({ first, counts, total }) => (
          <div
            key={first}
            class="column"
            title={`${dateOf(first)}: ${PARTS.map(([part, words]) => `${counts[part]} ${words}`).join(", ")}`}
          >
            {PARTS.map(([part, , tone]) => (
              <div key={part} class={`bar ${tone}`} style={{ height: `${(counts[part] / most) * 100}%` }} />
            ))}
            {total === 0 ? <div class="bar none" /> : null}
          </div>
        ))}
      </div>
      <div class="ends">
        <span>{dateOf(bars[0]?.first ?? 0)}</span>
        <span>{perBar === 1 ? "a bar per day" : `a bar per ${perBar} days`}</span>
        <span>today</span>
      </div>
      <figcaption>
        {PARTS.map(([part, words, tone]) => (
          <span key={part} class="key">
            <i class={tone} /> {words}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

interface Bar {
  readonly first: number;
  readonly counts: Readonly<Record<(typeof PARTS)[number][0], number>>;
  readonly total: number;
}

/** From the newest day back, so that only the oldest bar can have fewer days. */
function barsOf(days: readonly Day[], perBar: number): readonly Bar[] {
  const bars: Bar[] = [];
  for (let end = days.length; end > 0; end -= perBar) {
    const some = days.slice(Math.max(0, end - perBar), end);
    const sum = (part: (typeof PARTS)[number][0]): number => some.reduce((all, day) => all + day[part], 0);
    const counts = {
      blocked: sum("blocked"),
      fixed: sum("fixed"),
      gaveUp: sum("gaveUp"),
      notChecked: sum("notChecked"),
    };
    const total = counts.blocked + counts.fixed + counts.gaveUp + counts.notChecked;
    bars.unshift({ first: some[0]?.day ?? 0, counts, total });
  }
  return bars;
}

export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

const MOST_DOTS = 500;

export function DurationDots({ gate, name }: { readonly gate: GateStats; readonly name: string }) {
  const times = gate.times.slice(-MOST_DOTS);
  const first = times[0]?.at ?? 0;
  const span = Math.max(1, (times.at(-1)?.at ?? 0) - first);
  const most = Math.max(1, ...times.map(({ ms }) => ms));
  const height = (ms: number): string => `${98 - (ms / most) * 94}%`;
  return (
    <figure class="chart">
      <svg class="dots" role="img" aria-label={`How long ${name} took, run by run`}>
        <line class="median" x1="0" x2="100%" y1={height(gate.medianMs)} y2={height(gate.medianMs)} />
        {times.map(({ at, ms, isRed }) => (
          <circle
            key={at}
            class={isRed ? "bad" : "good"}
            cx={`${1 + ((at - first) / span) * 98}%`}
            cy={height(ms)}
            r={isRed ? 4 : 2.5}
          >
            <title>{`${new Date(at).toLocaleString()}: ${formatDuration(ms)}${isRed ? ", failed" : ""}`}</title>
          </circle>
        ))}
      </svg>
      <div class="ends">
        <span>{new Date(first).toLocaleDateString()}</span>
        <span>
          up to {formatDuration(most)}; the line is the median, {formatDuration(gate.medianMs)}
        </span>
        <span>{new Date(first + span).toLocaleDateString()}</span>
      </div>
    </figure>
  );
}
