import type { Log } from "../log.ts";
import { headings } from "./sections.ts";

/** Where the output of one package ends, and in which directory the package is. */
export interface GoPackage {
  /** Index of the line `FAIL path 0.1s` or `ok path 0.1s`. */
  readonly end: number;
  readonly directory: string;
}

const RESULT = /^(?:FAIL|ok {2}|\? {3})\t(?<path>\S+)(?:\t|\s|$)/;

/** The packages of a log in order. `go test` names files without their directory; the package's import path has it. */
export function packageDirectories({ lines, beginning }: Log): readonly GoPackage[] {
  const found = headings(lines, beginning("FAIL\t", "ok  \t", "?   \t"), RESULT).map(({ heading, from }) => ({
    end: from,
    path: heading["path"]?.split("/") ?? [],
  }));
  const root = moduleLength(found.map(({ path }) => path));
  return found.map(({ end, path }) => ({ end, directory: path.slice(root).join("/") }));
}

/** The log does not say where the module's own path ends; what all packages share, and the habits of hosting, do. */
function moduleLength(paths: readonly (readonly string[])[]): number {
  const [first = []] = paths;
  const differs = first.findIndex((part, index) => paths.some((other) => other[index] !== part));
  return Math.min(differs === -1 ? first.length : differs, usualLength(first));
}

function usualLength([host = "", , , version = ""]: readonly string[]): number {
  if (!host.includes(".")) return 1;
  if (!/^(?:github|gitlab|bitbucket|codeberg)\./.test(host)) return 2;
  return /^v\d+$/.test(version) ? 4 : 3;
}
