import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { meaningOf } from "../aggregate.ts";
import type { DashboardChange, DashboardState, RunPage, StopRow } from "../page-data.ts";
import { type Address, filtersIn, hrefOf, useAddress, useQuery } from "./address.ts";
import { Gates } from "./gates.tsx";
import { Overview } from "./overview.tsx";
import { Mark, StatusWords, ThemeButton, Time, useTab } from "./parts.tsx";
import { RunSections } from "./run-view.tsx";
import { Sessions, SessionView } from "./sessions.tsx";
import { Stops, TONES } from "./stops.tsx";

export interface ViewProps {
  readonly state: DashboardState;
  readonly rows: readonly StopRow[];
  readonly days: number | undefined;
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
  const address = useAddress();
  const main = useRef<HTMLElement>(null);
  const view = address.path.join("/");
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) main.current?.focus(); // a screen reader reads the new view
    isFirst.current = false;
  }, [view]);
  const newest = state?.rows[0];
  useTab("agent-gauntlet", newest === undefined ? "idle" : TONES[meaningOf(newest)]);
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
              <a
                href={hrefOf([name], filtersIn(address))}
                aria-current={address.path[0] === name ? "page" : undefined}
              >
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main ref={main} tabIndex={-1}>
        {state === undefined ? <p>Reading the ledger …</p> : <Filtered state={state} address={address} />}
      </main>
      <footer>agent-gauntlet {version}</footer>
    </>
  );
}

const DEFAULT_DAYS = "30";
const PERIODS = [
  ["7", "7 days"],
  [DEFAULT_DAYS, "30 days"],
  ["90", "90 days"],
  ["all", "all time"],
] as const;

const DAY_MS = 86_400_000;

function Filtered({ state, address }: { readonly state: DashboardState; readonly address: Address }) {
  const [project, setProject] = useQuery("project");
  const [chosenDays, setDays] = useQuery("days");
  const period = chosenDays === "" ? DEFAULT_DAYS : chosenDays;
  const days = period === "all" ? undefined : Number(period) || Number(DEFAULT_DAYS);
  const names = useMemo(() => new Map(state.projects.map(({ key, name }) => [key, name])), [state.projects]);
  const rows = useMemo(() => {
    const since = days === undefined ? 0 : Date.now() - days * DAY_MS;
    return state.rows.filter((row) => row.at >= since && (project === "" || row.project === project));
  }, [state.rows, project, days]);
  const props = { state, rows, days, projectName: (key: string) => names.get(key) ?? key.slice(0, 8) };
  const [view, key = "", at = ""] = address.path;
  if (view === "run") return <Run key={`${key}/${at}`} project={key} at={at} rows={state.rows} />;
  return (
    <>
      <div class="controls">
        <label>
          Project{" "}
          <select value={project} onChange={({ currentTarget }) => setProject(currentTarget.value)}>
            <option value="">all</option>
            {state.projects.map(({ key: each, name }) => (
              <option key={each} value={each}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Time{" "}
          <select value={period} onChange={({ currentTarget }) => setDays(currentTarget.value)}>
            {PERIODS.map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {state.isCut ? <span class="facts">Older verdicts are left out.</span> : null}
      </div>
      <View path={address.path} {...props} />
    </>
  );
}

function View({ path, ...props }: ViewProps & { readonly path: readonly string[] }) {
  switch (path[0] ?? "") {
    case "stops":
      return <Stops {...props} />;
    case "gates":
      return <Gates {...props} />;
    case "sessions":
      return <Sessions {...props} />;
    case "session":
      return <SessionView {...props} chainKey={path.slice(1).join("/")} />;
    default:
      return <Overview {...props} />;
  }
}

interface RunProps {
  readonly project: string;
  readonly at: string;
  readonly rows: readonly StopRow[];
}

function Run({ project, at, rows }: RunProps) {
  const fetched = useRun(`${encodeURIComponent(project)}/${encodeURIComponent(at)}`);
  if (fetched === undefined) return <p>Reading the run …</p>;
  if ("problem" in fetched) return <p>{fetched.problem}</p>;
  const { page } = fetched;
  return (
    <>
      <h2>
        <StatusWords status={page.status} />: {page.project}, run {page.run}
      </h2>
      <Neighbours rows={rows} project={project} at={Number(at)} />
      <RunSections page={page} />
    </>
  );
}

function Neighbours({ rows, project, at }: Omit<RunProps, "at"> & { readonly at: number }) {
  const row = rows.find((one) => one.project === project && one.at === at);
  if (row?.session === undefined) return null;
  const chain = rows.filter((one) => one.project === project && one.session === row.session && one.run);
  const here = chain.indexOf(row);
  const links = [
    ["Attempt before", chain[here + 1]],
    ["Attempt after", here > 0 ? chain[here - 1] : undefined],
  ] as const;
  return (
    <p class="facts neighbours">
      {links.map(([title, other]) =>
        other === undefined ? null : (
          <a key={title} href={`#/run/${project}/${other.at}`}>
            {title}: <Mark tone={TONES[meaningOf(other)]} /> {meaningOf(other)}, <Time at={other.at} />
          </a>
        ),
      )}
      <a href={`#/session/${encodeURIComponent(`${project}/${row.session}`)}`}>The whole session</a>
    </p>
  );
}

interface Live {
  readonly state?: DashboardState;
  readonly isConnected: boolean;
}

/** Everything the server knows, kept up to date; after a break it is sent whole again. */
function useLive(): Live {
  const [live, setLive] = useState<Live>({ isConnected: false });
  useEffect(() => {
    const source = new EventSource("api/events");
    source.addEventListener("state", ({ data }: MessageEvent<string>) =>
      setLive({ state: JSON.parse(data) as DashboardState, isConnected: true }),
    );
    source.addEventListener("change", ({ data }: MessageEvent<string>) =>
      setLive(({ state }) => ({ isConnected: true, state: follow(state, JSON.parse(data)) })),
    );
    source.addEventListener("error", () => setLive((before) => ({ ...before, isConnected: false })));
    return () => source.close();
  }, []);
  return live;
}

function follow(state: DashboardState | undefined, { rows, running }: DashboardChange) {
  return state && { ...state, rows: [...rows, ...state.rows], running };
}

type Fetched = { readonly page: RunPage } | { readonly problem: string } | undefined;

function useRun(path: string): Fetched {
  const [fetched, setFetched] = useState<Fetched>();
  useEffect(() => {
    const abort = new AbortController();
    fetchRun(path, abort.signal).then(setFetched, () => {
      if (!abort.signal.aborted) setFetched({ problem: "The dashboard's server does not answer." });
    });
    return () => abort.abort();
  }, [path]);
  return fetched;
}

async function fetchRun(path: string, signal: AbortSignal): Promise<Fetched> {
  const response = await fetch(`api/run/${path}`, { signal });
  if (!response.ok) return { problem: await response.text() };
  return { page: (await response.json()) as RunPage };
}
