import { useMemo } from "preact/hooks";
import { type FlakyTest, flakyTests } from "../../../ledger/verdict-record.ts";
import { formatDuration } from "../../../words.ts";
import { gateStats } from "../aggregate.ts";
import { useQuery } from "./address.ts";
import { DurationDots } from "./charts.tsx";
import type { ViewProps } from "./dashboard.tsx";
import { gateName, Section, Table, Time } from "./parts.tsx";

const COLUMNS = [
  ["totalMs", "Total time"],
  ["runs", "Runs"],
  ["medianMs", "Median"],
  ["p90Ms", "90 % within"],
  ["caught", "Failures caught"],
  ["flaky", "Flaky passes"],
  ["reused", "Reused"],
] as const;

const NAMES = ["Gate", ...COLUMNS.map(([, title]) => title)];
const MOST_ROWS = 200;

export function Gates({ rows, projectName }: ViewProps) {
  const [sorted, setSorted] = useQuery("sort");
  const [chosen, setChosen] = useQuery("gate");
  const [column] = COLUMNS.find(([name]) => name === sorted) ?? COLUMNS[0];
  const stats = useMemo(() => gateStats(rows), [rows]);
  const ordered = useMemo(
    () => stats.toSorted((one, other) => other[column] - one[column]).slice(0, MOST_ROWS),
    [stats, column],
  );
  const current = ordered.find(({ key }) => key === chosen) ?? ordered[0];
  const titles = COLUMNS.map(([name, title]) => (
    <button type="button" onClick={() => setSorted(name)}>
      {title}
      {name === column ? " ▾" : ""}
    </button>
  ));
  return (
    <Section title="Gates" id="gates">
      {current === undefined ? (
        <p>No gate has run yet.</p>
      ) : (
        <>
          <h3>How long {gateName(current.id)} took</h3>
          <DurationDots gate={current} name={gateName(current.id)} />
        </>
      )}
      <Table
        titles={["Gate", ...titles]}
        names={NAMES}
        numbers={COLUMNS.map((_, at) => at + 1)}
        sorted={COLUMNS.findIndex(([name]) => name === column) + 1}
        rows={ordered.map((gate) => ({
          key: gate.key,
          cells: [
            <>
              <button type="button" class="link" onClick={() => setChosen(gate.key)}>
                {gateName(gate.id)}
              </button>
              <div class="facts">{projectName(gate.project)}</div>
            </>,
            ...COLUMNS.map(([name]) => (name.endsWith("Ms") ? formatDuration(gate[name]) : gate[name])),
          ],
        }))}
      />
      <FlakyTests rows={rows} projectName={projectName} />
    </Section>
  );
}

function FlakyTests({ rows, projectName }: Pick<ViewProps, "rows" | "projectName">) {
  const flaky = useMemo(() => flakyByProject(rows).slice(0, MOST_ROWS), [rows]);
  if (flaky.length === 0) return null;
  return (
    <>
      <h3>Flaky tests</h3>
      <Table
        titles={["Test", "Gate", "Times", "Last seen"]}
        numbers={[2]}
        rows={flaky.map(({ project, gate, test, times, lastAt }) => ({
          key: `${project}/${gate}/${test}`,
          cells: [
            test === "" ? "(not named by its output)" : test,
            <>
              {gateName(gate)}
              <div class="facts">{projectName(project)}</div>
            </>,
            times,
            <Time at={lastAt} />,
          ],
        }))}
      />
    </>
  );
}

export function flakyByProject(
  rows: ViewProps["rows"],
): readonly (FlakyTest & { readonly project: string })[] {
  const projects = [...new Set(rows.map(({ project }) => project))];
  return projects
    .flatMap((project) =>
      flakyTests(rows.filter((row) => row.project === project)).map((one) => ({ ...one, project })),
    )
    .toSorted((one, other) => other.times - one.times || other.lastAt - one.lastAt);
}
