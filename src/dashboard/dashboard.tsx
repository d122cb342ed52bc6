import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DashboardState, StopRow } from "../report/page/page-data.ts";
import { Gates } from "./gates.tsx";
import { useLive, useRoute, useRun } from "./live.ts";
import { Overview } from "./overview.tsx";
import { ThemeButton } from "./parts.tsx";
import { RunSections } from "./run-view.tsx";
import { Sessions, SessionView } from "./sessions.tsx";
import { Stops } from "./stops.tsx";

/** What every view gets. */
export interface ViewProps {
  readonly state: DashboardState;
  /** The chosen project and time, the newest first. */
  readonly rows: readonly StopRow[];
  readonly projectName: (key: string) => string;
}

const VIEWS = [
  ["", "Overview"],
  ["stops", "Stops"],
  ["gates", "Gates"],
  ["sessions", "Sessions"],
] as const;

export function Dashboard({ version }: { readonly version: string }) {
  const { state, isConnected } = useLive();
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const place = route.join("/");
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) main.current?.focus(); // a screen reader reads the new view
    isFirst.current = false;
  }, [place]);
  return (
    <>
      <header class="top">
        <h1>agent-gauntlet</h1>
        <span role="status">{isConnected ? "live" : "not connected"}</span>
        <ThemeButton />
      </header>
      <nav aria-label="Views">
        <ul>
          {VIEWS.map(([name, title]) => (
            <li key={name}>
              <a href={`#/${name}`} aria-current={route[0] === name ? "page" : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main ref={main} tabIndex={-1}>
        {state === undefined ? <p>Reading the ledger …</p> : <Filtered state={state} route={route} />}
      </main>
      <footer>agent-gauntlet {version}</footer>
    </>
  );
}

const PERIODS = [
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
  [0, "all time"],
] as const;

const DAY_MS = 86_400_000;

function Filtered({ state, route }: { readonly state: DashboardState; readonly route: readonly string[] }) {
  const [project, setProject] = useState("");
  const [days, setDays] = useState(30);
  const names = useMemo(() => new Map(state.projects.map(({ key, name }) => [key, name])), [state.projects]);
  const rows = useMemo(() => {
    const since = days === 0 ? 0 : Date.now() - days * DAY_MS;
    return state.rows.filter((row) => row.at >= since && (project === "" || row.project === project));
  }, [state.rows, project, days]);
  const props = { state, rows, projectName: (key: string) => names.get(key) ?? key.slice(0, 8) };
  if (route[0] === "run") return <Run path={route.slice(1).map(encodeURIComponent).join("/")} />;
  return (
    <>
      <div class="controls">
        <label>
          Project{" "}
          <select value={project} onChange={({ currentTarget }) => setProject(currentTarget.value)}>
            <option value="">all</option>
            {state.projects.map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Time{" "}
          <select value={days} onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}>
            {PERIODS.map(([count, title]) => (
              <option key={count} value={count}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {state.isCut ? <span class="facts">Older verdicts are left out.</span> : null}
      </div>
      <View route={route} {...props} />
    </>
  );
}

function View({ route, ...props }: ViewProps & { readonly route: readonly string[] }) {
  switch (route[0] ?? "") {
    case "stops":
      return <Stops {...props} initial={route[1] ?? ""} />;
    case "gates":
      return <Gates {...props} />;
    case "sessions":
      return <Sessions {...props} />;
    case "session":
      return <SessionView {...props} chainKey={route.slice(1).join("/")} />;
    default:
      return <Overview {...props} />;
  }
}

function Run({ path }: { readonly path: string }) {
  const fetched = useRun(path);
  if (fetched === undefined) return <p>Reading the run …</p>;
  if ("problem" in fetched) return <p>{fetched.problem}</p>;
  return (
    <>
      <h2>
        {fetched.page.project}, run {fetched.page.run}
      </h2>
      <RunSections page={fetched.page} />
    </>
  );
}
