import { useMemo } from "preact/hooks";
import { type Day, daysOf, meaningOf } from "../aggregate.ts";
import { ago } from "../../../words.ts";
import { counted } from "../../../words.ts";
import type { RunningRow } from "../page-data.ts";
import { Chart } from "./chart.tsx";
import type { ViewProps } from "./dashboard.tsx";
import { Section, shortGate } from "./parts.tsx";
import { StopLine } from "./stops.tsx";

export function Overview({ state, rows, projectName }: ViewProps) {
  const offsetMs = new Date().getTimezoneOffset() * 60_000;
  const days = useMemo(() => daysOf(rows, offsetMs), [rows, offsetMs]);
  const sum = (count: (day: Day) => number): number => days.reduce((all, day) => all + count(day), 0);
  return (
    <>
      <Section title="Running now" id="running">
        <Running running={state.running} projectName={projectName} />
      </Section>
      <Section title="Stops" id="counts">
        <ul class="tiles">
          <Tile count={sum(({ blocked }) => blocked)} words="blocked" href="#/stops/blocked" />
          <Tile count={sum(({ fixed }) => fixed)} words="fixed after a block" href="#/sessions" />
          <Tile count={sum(({ gaveUp }) => gaveUp)} words="given up" href="#/stops/gave%20up" />
          <Tile
            count={sum(({ notChecked }) => notChecked)}
            words="not checked"
            href="#/stops/not%20checked"
          />
        </ul>
        <PerDay days={days} offsetMs={offsetMs} />
      </Section>
      <Section title="Last stops" id="last">
        {rows.length === 0 ? <p>No stop is recorded yet.</p> : null}
        {rows.slice(0, 8).map((row) => (
          <StopLine key={`${row.project}${row.at}`} row={row} projectName={projectName} />
        ))}
      </Section>
      <Section title="Projects" id="projects">
        <Projects state={state} rows={rows} projectName={projectName} />
      </Section>
    </>
  );
}

function Tile({
  count,
  words,
  href,
}: {
  readonly count: number;
  readonly words: string;
  readonly href: string;
}) {
  return (
    <li>
      <strong>{count}</strong> <a href={href}>{words}</a>
    </li>
  );
}

function Running({
  running,
  projectName,
}: {
  readonly running: readonly RunningRow[];
  readonly projectName: (key: string) => string;
}) {
  return (
    <div aria-live="polite">
      {running.length === 0 ? <p class="facts">No run is going on.</p> : null}
      {running.map(({ project, root, since, gates, finished, run }) => (
        <div class="running" key={root}>
          <strong>{projectName(project)}</strong>
          {run === undefined ? "" : `, run ${run}`}:{" "}
          {gates.length === 0 ? "looking" : gates.map(shortGate).join(", ")}
          <div class="facts">
            started {ago(since, Date.now())}
            {finished === 0 ? "" : `, ${counted(finished, "gate")} done`} · {root}
          </div>
        </div>
      ))}
    </div>
  );
}

const DAY_S = 86_400;

function PerDay({ days, offsetMs }: { readonly days: readonly Day[]; readonly offsetMs: number }) {
  if (days.length === 0) return null;
  const seconds = days.map(({ day }) => day * DAY_S + offsetMs / 1000);
  const series = [
    { label: "blocked", colour: "--bad", values: days.map(({ blocked }) => blocked) },
    { label: "fixed", colour: "--good", values: days.map(({ fixed }) => fixed) },
    { label: "given up", colour: "--warn", values: days.map(({ gaveUp }) => gaveUp) },
  ];
  return (
    <>
      <Chart label="Stops blocked, fixed and given up per day" seconds={seconds} series={series} />
      <details>
        <summary>The same as a table</summary>
        <div class="wide">
          <table>
            <thead>
              <tr>
                {["Day", "Blocked", "Fixed", "Given up", "Not checked"].map((title) => (
                  <th scope="col" key={title}>
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map(({ day, blocked, fixed, gaveUp, notChecked }) => (
                <tr key={day}>
                  <th scope="row">{new Date(day * DAY_S * 1000).toISOString().slice(0, 10)}</th>
                  {[blocked, fixed, gaveUp, notChecked].map((count, at) => (
                    <td key={at}>{count}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

function Projects({ state, rows }: ViewProps) {
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Project</th>
            <th scope="col" class="number">
              Verdicts
            </th>
            <th scope="col" class="number">
              Blocked
            </th>
            <th scope="col">Where</th>
          </tr>
        </thead>
        <tbody>
          {state.projects.map(({ key, name, root }) => {
            const own = rows.filter(({ project }) => project === key);
            return (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td class="number">{own.length}</td>
                <td class="number">{own.filter((row) => meaningOf(row) === "blocked").length}</td>
                <td>{root ?? "unknown"}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
