import { useMemo, useState } from "preact/hooks";
import { type FlakyTest, flakyTests } from "../../../ledger/verdict-record.ts";
import { type GateStats, gateStats } from "../aggregate.ts";
import { formatDuration } from "../../../words.ts";
import { Chart } from "./chart.tsx";
import type { ViewProps } from "./dashboard.tsx";
import { Section, shortGate } from "./parts.tsx";

const COLUMNS = [
  ["totalMs", "Total time"],
  ["runs", "Runs"],
  ["medianMs", "Median"],
  ["slowestMs", "Slowest"],
  ["caught", "Failures caught"],
  ["flaky", "Flaky passes"],
  ["reused", "Reused"],
] as const;

type Column = (typeof COLUMNS)[number][0];

const MOST_ROWS = 200;

/** What each gate costs, and what it catches. */
export function Gates({ rows, projectName }: ViewProps) {
  const [sorted, setSorted] = useState<Column>("totalMs");
  const [chosen, setChosen] = useState<string>();
  const stats = useMemo(() => gateStats(rows), [rows]);
  const ordered = useMemo(
    () => stats.toSorted((one, other) => other[sorted] - one[sorted]).slice(0, MOST_ROWS),
    [stats, sorted],
  );
  const current = ordered.find(({ key }) => key === chosen) ?? ordered[0];
  return (
    <Section title="Gates" id="gates">
      {current === undefined ? <p>No gate has run yet.</p> : <Durations gate={current} />}
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Gate</th>
              {COLUMNS.map(([column, title]) => (
                <th
                  scope="col"
                  key={column}
                  class="number"
                  aria-sort={column === sorted ? "descending" : "none"}
                >
                  <button type="button" onClick={() => setSorted(column)}>
                    {title}
                    {column === sorted ? " ▾" : ""}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ordered.map((gate) => (
              <GateRow
                key={gate.key}
                gate={gate}
                project={projectName(gate.project)}
                onChoose={() => setChosen(gate.key)}
              />
            ))}
          </tbody>
        </table>
      </div>
      <FlakyTests rows={rows} projectName={projectName} />
    </Section>
  );
}

/** The tests that failed and then passed when they were repeated, by name. */
function FlakyTests({ rows, projectName }: Pick<ViewProps, "rows" | "projectName">) {
  const flaky = useMemo(() => flakyByProject(rows).slice(0, MOST_ROWS), [rows]);
  if (flaky.length === 0) return null;
  return (
    <>
      <h3>Flaky tests</h3>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Test</th>
              <th scope="col">Gate</th>
              <th scope="col" class="number">
                Times
              </th>
              <th scope="col">Last seen</th>
            </tr>
          </thead>
          <tbody>
            {flaky.map(({ project, gate, test, times, lastAt }) => (
              <tr key={`${project}/${gate}/${test}`}>
                <th scope="row">{test === "" ? "(not named by its output)" : test}</th>
                <td>
                  {shortGate(gate)}
                  <div class="facts">{projectName(project)}</div>
                </td>
                <td class="number">{times}</td>
                <td>{new Date(lastAt).toLocaleString()}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function flakyByProject(rows: ViewProps["rows"]): readonly (FlakyTest & { readonly project: string })[] {
  const projects = [...new Set(rows.map(({ project }) => project))];
  return projects
    .flatMap((project) =>
      flakyTests(rows.filter((row) => row.project === project)).map((one) => ({ ...one, project })),
    )
    .toSorted((one, other) => other.times - one.times || other.lastAt - one.lastAt);
}

function GateRow({
  gate,
  project,
  onChoose,
}: {
  readonly gate: GateStats;
  readonly project: string;
  readonly onChoose: () => void;
}) {
  return (
    <tr>
      <th scope="row">
        <button type="button" class="link" onClick={onChoose}>
          {shortGate(gate.id)}
        </button>
        <div class="facts">{project}</div>
      </th>
      {COLUMNS.map(([column]) => (
        <td key={column} class="number">
          {column.endsWith("Ms") ? formatDuration(gate[column]) : gate[column]}
        </td>
      ))}
    </tr>
  );
}

function Durations({ gate }: { readonly gate: GateStats }) {
  const { times } = gate;
  const id = shortGate(gate.id);
  const series = [{ label: "seconds", colour: "--link", values: times.map(({ ms }) => ms / 1000) }];
  return (
    <>
      <h3>How long {id} took</h3>
      <Chart
        label={`How long ${id} took, in seconds`}
        seconds={times.map(({ at }) => at / 1000)}
        series={series}
        isPoints
      />
    </>
  );
}
