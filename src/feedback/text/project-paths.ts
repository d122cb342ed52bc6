import type { Task } from "./split-by-task.ts";

/** Where a log was written: what its relative and absolute paths mean. */
export interface Place {
  readonly projectRoot: string;
  /** Project-relative directory the tool ran in; `.` when absent. */
  readonly workingDirectory?: string;
  /** Whether the work tree holds a file, by its path from the project; what relative paths of nested runners are checked against. */
  readonly isFile?: (path: string) => boolean;
}

/** The path as the project knows it, when one of some tasks may have printed it, the likeliest first: only a file that exists is believed. */
export function taskRelative(printed: string, place: Place, tasks: readonly Task[]): string {
  const path = projectRelative(printed, place);
  const { isFile } = place;
  if (isFile === undefined || tasks.length === 0 || isFile(path)) return path;
  const candidates = isAbsolute(path)
    ? tasks.filter(({ isContainer }) => isContainer).flatMap(({ name }) => fromContainer(path, name))
    : tasks.flatMap(({ name }) =>
        directoriesFor(projectRelative(name, place)).map((one) => `${one}/${path}`),
      );
  return candidates.map(withoutDots).find(isFile) ?? path;
}

/** A package is called like the end of its directory. */
function directoriesFor(name: string): readonly string[] {
  const last = name.replace(/^@[^/]+\//, "");
  return [name, ...PACKAGE_ROOTS.map((root) => `${root}/${last}`), last];
}

const PACKAGE_ROOTS = ["packages", "apps", "libs", "services", "modules", "crates", "tools"] as const;

/** `/usr/src/app/test/cart.js` in the container of `api` may be `api/test/cart.js`, or `test/cart.js`, here. */
function fromContainer(path: string, service: string): readonly string[] {
  const parts = path.split("/").slice(1);
  const tails = parts.slice(1, 1 + DEEPEST_WORK_DIRECTORY).map((_, cut) => parts.slice(cut + 1).join("/"));
  return [...directoriesFor(service), "."].flatMap((one) => tails.map((tail) => `${one}/${tail}`));
}

const DEEPEST_WORK_DIRECTORY = 3;

/** The path as the project knows it: relative with `/` inside the project, as printed outside. */
export function projectRelative(printed: string, place: Place): string {
  const path = withForwardSlashes(FILE_URL.test(printed) ? pathOfUrl(printed) : printed);
  const root = withForwardSlashes(place.projectRoot).replace(/\/+$/, "");
  const inside = afterRoot(path, root);
  if (inside !== undefined) return inside;
  if (isAbsolute(path)) return path;
  return withoutDots(`${place.workingDirectory ?? "."}/${path}`);
}

const FILE_URL = /^file:\/\/(?:\/(?=[A-Za-z]:))?/;

/** Text with the project's paths shortened, those in file URLs too: they say the same, and stay the same elsewhere. */
export function withShortPaths(text: string, place: Place): string {
  const decoded = text.includes("file://")
    ? text.replaceAll(URL_IN_TEXT, (url) => pathInside(url, place))
    : text;
  return decoded.replaceAll(`${place.projectRoot}/`, "");
}

/** Up to white space or what closes around it. */
const URL_IN_TEXT = /file:\/\/\/[^\s"<>()`]+/g;

function pathInside(url: string, place: Place): string {
  const path = pathOfUrl(url);
  return path.startsWith(`${place.projectRoot}/`) ? path : url;
}

/** A URL has every space, quote and letter beyond ASCII as `%20`; an invalid sequence is left as it is. */
function pathOfUrl(url: string): string {
  const path = url.replace(FILE_URL, "");
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function withForwardSlashes(path: string): string {
  return /^[A-Za-z]:\\|^\\\\/.test(path) || !path.includes("/") ? path.replaceAll("\\", "/") : path;
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:\//.test(path);
}

/** macOS shows `/private/tmp` for `/tmp`; drive letters come in both cases. */
function afterRoot(path: string, root: string): string | undefined {
  if (root === "") return undefined;
  const candidate = [path, path.replace(/^\/private(?=\/)/, "")].find((spelled) =>
    sameStart(spelled, `${root}/`),
  );
  return candidate?.slice(root.length + 1);
}

function sameStart(path: string, start: string): boolean {
  const spelled = path.slice(0, start.length);
  return spelled === start || (/^[A-Za-z]:/.test(start) && spelled.toLowerCase() === start.toLowerCase());
}

function withoutDots(path: string): string {
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") kept.push(...(kept.length > 0 && kept.at(-1) !== ".." ? (kept.pop(), []) : [part]));
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return kept.join("/");
}
