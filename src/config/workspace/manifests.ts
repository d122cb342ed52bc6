import { posix } from "node:path";
import picomatch from "picomatch";

/** The files of a project that can say something about packages. */
export interface Manifests {
  /** Relative to the project root. */
  readonly paths: readonly string[];
  readonly read: (path: string) => string | undefined;
}

/** A package as its manifest describes it. */
export interface Described {
  readonly directory: string;
  readonly name: string;
  readonly manifest: string;
  /** Names or directories of what it depends on; most of them are not in this workspace. */
  readonly uses: readonly string[];
}

/** The directories with a manifest that the globs of a workspace mean; `!` before one leaves directories out. */
export function members(
  { paths }: Manifests,
  manifest: string,
  globs: readonly string[],
): readonly { readonly directory: string; readonly path: string }[] {
  const clean = globs.map((glob) => glob.replace(/^(!?)\.\//, "$1").replace(/\/+$/, ""));
  const isMember = picomatch(clean.filter((glob) => !glob.startsWith("!")));
  const isLeftOut = picomatch(clean.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)));
  return paths
    .filter((path) => posix.basename(path) === manifest)
    .map((path) => ({ directory: posix.dirname(path), path }))
    .filter(({ directory }) => directory !== "." && isMember(directory) && !isLeftOut(directory));
}

/** The values of a parsed file, whatever it holds. */
export function mapAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, unknown>> {
  let here = value;
  for (const key of path) here = isMap(here) ? here[key] : undefined;
  return isMap(here) ? here : {};
}

export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A file that cannot be parsed says nothing: its own tool complains about it. */
export function parsed(text: string | undefined, parse: (text: string) => unknown): unknown {
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
