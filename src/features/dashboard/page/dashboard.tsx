import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DashboardState, StopRow, DashboardChange, RunPage } from "../page-data.ts";
import { Gates } from "./gates.tsx";
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

export interface Live {
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
      setLive(({ state }) => ({ isConnected: true, ...follow(state, JSON.parse(data) as DashboardChange) })),
    );
    source.addEventListener("error", () => setLive((before) => ({ ...before, isConnected: false })));
    return () => source.close();
  }, []);
  return live;
}

function follow(state: DashboardState | undefined, { rows, running }: DashboardChange): Pick<Live, "state"> {
  return state === undefined ? {} : { state: { ...state, rows: [...rows, ...state.rows], running } };
}

type Fetched = { readonly page: RunPage } | { readonly problem: string } | undefined;

/** One run, with its logs. */
function useRun(path: string): Fetched {
  const [fetched, setFetched] = useState<Fetched>();
  useEffect(() => {
    const abort = new AbortController();
    setFetched(undefined);
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

/** The part of the address after `#/`, which says what is shown. */
function useRoute(): readonly string[] {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const onChange = (): void => setRoute(readRoute());
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return route;
}

function readRoute(): readonly string[] {
  return location.hash
    .replace(/^#\/?/, "")
    .split("/")
    .map((part) => decode(part));
}

/** It may have been typed by hand. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
