import { useEffect, useState } from "preact/hooks";

/** What the address says after `#`: the view that is shown, and how it is narrowed. It survives a reload, and Back returns to it. */
export interface Address {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export function useAddress(): Address {
  const [address, setAddress] = useState(readAddress);
  useEffect(() => {
    const onChange = (): void => setAddress(readAddress());
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return address;
}

export function useQuery(name: string): readonly [value: string, set: (value: string) => void] {
  const { query } = useAddress();
  return [query.get(name) ?? "", (value) => setQuery(name, value)];
}

export function filtersIn({ query }: Address): URLSearchParams {
  const kept = ["project", "days"].map((name) => [name, query.get(name) ?? ""]);
  return new URLSearchParams(kept.filter(([, value]) => value !== ""));
}

/** Replaces the current entry of the history: a keystroke in a search is no step to go back to. */
function setQuery(name: string, value: string): void {
  const { path, query } = readAddress();
  if (value === "") query.delete(name);
  else query.set(name, value);
  history.replaceState(history.state, "", hrefOf(path, query));
  dispatchEvent(new Event("hashchange"));
}

export function hrefOf(path: readonly string[], query: URLSearchParams): string {
  const search = query.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search === "" ? "" : `?${search}`}`;
}

function readAddress(): Address {
  const hash = location.hash.replace(/^#\/?/, "");
  const [path = "", ...search] = hash.split("?");
  return { path: path.split("/").map(decode), query: new URLSearchParams(search.join("?")) };
}

/** It may have been typed by hand. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
