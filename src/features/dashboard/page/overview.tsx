import { useMemo } from "preact/hooks";
import { ago, counted, formatDuration } from "../../../words.ts";
import { chainsOf, type Day, daysOf, endOf, gateStats, meaningOf } from "../aggregate.ts";
import type { RunningRow } from "../page-data.ts";
import { filtersIn, hrefOf, useAddress } from "./address.ts";
import { dateOf, DayBars } from "./charts.tsx";
import type { ViewProps } from "./dashboard.tsx";
import { flakyByProject } from "./gates.tsx";
import { gateName, Section, Table } from "./parts.tsx";
import { ChainLine } from "./sessions.tsx";
import { ROW_HEIGHT, StopLine } from "./stops.tsx";

export function Overview(props: ViewProps) {
  const { state, rows, days: count, projectName } = props;
  const days = useMemo(() => {
    const now = new Date();
    return daysOf(rows, { offsetMs: now.getTimezoneOffset() * 60_000, now: now.getTime(), count });
  }, [rows, count]);
  return (
    <>
      <Section title="Now" id="now">
        <Running running={state.running} projectName={projectName} />
        <BlockedNow {...props} />
      </Section>
      <Section title="Stops" id="counts">
        <Tiles days={days} rows={rows} />
        <DayBars days={days} />
        <details>
          <summary>The same as a table</summary>
          <DayTable days={days} />
        </details>
      </Section>
      <GateQuestions {...props} />
      <Section title="Last stops" id="last">
        {rows.length === 0 ? <p>No stop is recorded yet.</p> : null}
        {rows.slice(0, 8).map((row) => (
          <div key={`${row.project}${row.at}`} style={{ height: `${ROW_HEIGHT}px` }}>
            <StopLine row={row} projectName={projectName} />
          </div>
        ))}
      </Section>
      <Section title="Projects" id="projects">
        <Projects {...props} />
      </Section>
    </>
  );
}

function Running({ running, projectName }: { readonly running: readonly RunningRow[] } & Named) {
  return (
    <div aria-live="polite">
      {running.length === 0 ? <p class="facts">No gates are running.</p> : null}
      {running.map(({ project, root, since, gates, finished, run, isAhead }) => (
        <div class="running" key={root}>
          <strong>{projectName(project)}</strong>
          {run === undefined ? "" : `, run ${run}`}
          {isAhead ? ", ahead of a stop" : ""}:{" "}
          {gates.length === 0 ? "comparing files" : gates.map(gateName).join(", ")}
          <div class="facts">
            started {ago(since, Date.now())}
            {finished === 0 ? "" : `, ${counted(finished, "gate")} done`} · {root}
          </div>
        </div>
      ))}
    </div>
  );
}

interface Named {
  readonly projectName: (key: string) => string;
}

const MOST_BLOCKED = 5;
const DAY_MS = 86_400_000;

/** A session that has not stopped for a day was given up by its user. */
function BlockedNow({ rows, projectName }: ViewProps) {
  const blocked = useMemo(
    () =>
      chainsOf(rows).filter(
        (chain) => chain.lastAt > Date.now() - DAY_MS && endOf(chain).meaning === "blocked",
      ),
    [rows],
  );
  if (blocked.length === 0) return <p class="facts">No session of the last day is blocked.</p>;
  return (
    <>
      <p>Blocked in the last day: {counted(blocked.length, "session")}</p>
      {blocked.slice(0, MOST_BLOCKED).map((chain) => (
        <div key={chain.key} style={{ height: `${ROW_HEIGHT}px` }}>
          <ChainLine chain={chain} projectName={projectName} />
        </div>
      ))}
    </>
  );
}

function Tiles({ days, rows }: { readonly days: readonly Day[]; readonly rows: ViewProps["rows"] }) {
  const address = useAddress();
  const sum = (count: (day: Day) => number): number => days.reduce((all, day) => all + count(day), 0);
  const stops = (show: string): string => {
    const query = filtersIn(address);
    query.set("show", show);
    return hrefOf(["stops"], query);
  };
  const reused = useMemo(() => gateStats(rows).reduce((all, { savedMs }) => all + savedMs, 0), [rows]);
  const tiles = [
    ["blocked", sum(({ blocked }) => blocked), stops("blocked")],
    ["fixed after a block", sum(({ fixed }) => fixed), hrefOf(["sessions"], filtersIn(address))],
    ["given up", sum(({ gaveUp }) => gaveUp), stops("gave up")],
    ["not checked", sum(({ notChecked }) => notChecked), stops("not checked")],
    ["saved by reuse", `≈ ${formatDuration(reused)}`, hrefOf(["gates"], filtersIn(address))],
  ] as const;
  return (
    <ul class="tiles">
      {tiles.map(([words, count, href]) => (
        <li key={words}>
          <strong>{count}</strong> <a href={href}>{words}</a>
        </li>
      ))}
    </ul>
  );
}

function DayTable({ days }: { readonly days: readonly Day[] }) {
  const titles = ["Day", "Blocked", "Fixed", "Given up", "Not checked"];
  return (
    <Table
      titles={titles}
      numbers={[1, 2, 3, 4]}
      rows={days.toReversed().map(({ day, blocked, fixed, gaveUp, notChecked }) => ({
        key: String(day),
        cells: [dateOf(day), blocked, fixed, gaveUp, notChecked],
      }))}
    />
  );
}

const MOST_GATES = 5;

function GateQuestions({ rows }: ViewProps) {
  const stats = useMemo(() => gateStats(rows), [rows]);
  const flaky = useMemo(() => flakyByProject(rows).slice(0, MOST_GATES), [rows]);
  const failing = stats
    .filter(({ caught }) => caught > 0)
    .toSorted((one, other) => other.caught - one.caught)
    .slice(0, MOST_GATES);
  if (stats.length === 0) return null;
  return (
    <div class="questions">
      <Section title="What costs time" id="slow">
        <ol>
          {stats.slice(0, MOST_GATES).map(({ key, id, totalMs, medianMs, p90Ms }) => (
            <li key={key}>
              {gateName(id)}{" "}
              <span class="facts">
                {formatDuration(totalMs)}: median {formatDuration(medianMs)}, 90 % within{" "}
                {formatDuration(p90Ms)}
              </span>
            </li>
          ))}
        </ol>
      </Section>
      <Section title="What keeps failing" id="failing">
        {failing.length + flaky.length === 0 ? <p class="facts">Nothing failed.</p> : null}
        <ol>
          {failing.map(({ key, id, caught, runs }) => (
            <li key={key}>
              {gateName(id)}{" "}
              <span class="facts">
                failed {caught} of {counted(runs, "time")}
              </span>
            </li>
          ))}
          {flaky.map(({ project, gate, test, times }) => (
            <li key={`${project}${gate}${test}`}>
              {test === "" ? gateName(gate) : test} <span class="facts">flaky, {counted(times, "time")}</span>
            </li>
          ))}
        </ol>
      </Section>
    </div>
  );
}

function Projects({ state, rows }: ViewProps) {
  const titles = ["Project", "Verdicts", "Blocked", "Location"];
  return (
    <Table
      titles={titles}
      numbers={[1, 2]}
      rows={state.projects.map(({ key, name, root }) => {
        const own = rows.filter(({ project }) => project === key);
        const blocked = own.filter((row) => meaningOf(row) === "blocked").length;
        return { key, cells: [name, own.length, blocked, root ?? "unknown"] };
      })}
    />
  );
}
