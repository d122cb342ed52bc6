import { useEffect, useState } from "preact/hooks";
import type { DashboardChange, DashboardState, RunPage } from "../report/page/page-data.ts";

export interface Live {
  readonly state?: DashboardState;
  readonly isConnected: boolean;
}

/** Everything the server knows, kept up to date; after a break it is sent whole again. */
export function useLive(): Live {
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

export type Fetched = { readonly page: RunPage } | { readonly problem: string } | undefined;

/** One run, with its logs. */
export function useRun(path: string): Fetched {
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
export function useRoute(): readonly string[] {
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
