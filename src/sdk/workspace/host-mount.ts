import { realpathSync } from "node:fs";
import { basename, isAbsolute, posix, sep, win32 } from "node:path";
import { isWithin } from "../../system/files/is-inside.ts";

/** The host path with its links resolved, once it is known to lie in one of the allowed roots (none given: anywhere). */
export function resolveHost(hostPath: string, allowedRoots: readonly string[]): string {
  const resolved = realpathSync(hostPath);
  if (allowedRoots.length === 0) return resolved;
  if (allowedRoots.some((root) => isInsideRoot(resolved, root))) return resolved;
  throw new WorkspaceSecurityError(`Host path '${hostPath}' is outside the allowed host roots.`);
}

export function resolveMountPath(mount: HostMount): string {
  const wanted = mount.mountPath ?? basename(mount.hostPath);
  const place = posix.normalize(wanted.split(sep).join("/") || ".").replace(/\/$/, "");
  if (place === ".." || place.startsWith("../") || isAbsolute(wanted) || win32.isAbsolute(wanted))
    throw new WorkspaceSecurityError(`Mount path '${wanted}' escapes workspace directory.`);
  return place;
}

/** A root that is not there allows nothing. */
function isInsideRoot(resolved: string, root: string): boolean {
  try {
    return isWithin(realpathSync(root), resolved);
  } catch {
    return false;
  }
}

/** A mount would read or write outside the places it was given. */
export class WorkspaceSecurityError extends Error {
  override readonly name = "WorkspaceSecurityError";
}

/** A mount is larger than its `maxBytes`. */
export class WorkspaceBudgetExceededError extends Error {
  override readonly name = "WorkspaceBudgetExceededError";
}

/** A file or directory of the host to be copied into a workspace. */
export interface HostMount {
  readonly hostPath: string;
  /** Where it appears, relative to the workspace; the last name of `hostPath` when absent, `.` for the workspace itself. */
  readonly mountPath?: string;
  /** Copy only files whose path below `hostPath` matches; `*` crosses `/`. */
  readonly includeGlob?: readonly string[];
  /** Leave these out, even when included. */
  readonly excludeGlob?: readonly string[];
  /** Refuse to copy more than this; 0 is zero bytes, absent is no limit. */
  readonly maxBytes?: number;
  /** Copy what links to files point at, where that is inside `hostPath`. Links to directories are never followed. */
  readonly followSymlinks?: boolean;
}

/** What a mount has become. */
export interface HostMountPreview {
  readonly hostPath: string;
  /** `hostPath` with its links resolved: what was copied. */
  readonly resolvedHost: string;
  readonly mountPath: string;
  readonly isDirectory: boolean;
  readonly bytesCopied: number;
  /** The first 20 names at the top of the mount, directories with a trailing `/`. */
  readonly entries: readonly string[];
  /** How many there are in all. */
  readonly entryCount: number;
  /** The first 20 links and special files that were not copied. */
  readonly skipped: readonly string[];
}

/**
 * Matches a whole path against a shell pattern in which `*` and `?` also match `/`, `[…]` is a set and `[!…]` its
 * complement. Takes time proportional to pattern × path at most, for any pattern.
 */
export function fnmatch(path: string, pattern: string): boolean {
  const tokens = tokenize(pattern);
  let [at, token, starToken, starAt] = [0, 0, -1, 0];
  while (at < path.length) {
    const current = tokens[token];
    if (current === ANY_RUN) {
      [starToken, starAt] = [token, at];
      token += 1;
    } else if (current?.(path.charAt(at))) {
      at += 1;
      token += 1;
    } else if (starToken >= 0) {
      starAt += 1;
      [at, token] = [starAt, starToken + 1];
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === ANY_RUN);
}

export function matchesEverythingBelow(directory: string, pattern: string): boolean {
  return pattern.endsWith("*") && fnmatch(`${directory}/`, pattern);
}

type Token = (character: string) => boolean;

const ANY_RUN: Token = () => true;
const anyOne: Token = () => true;

function tokenize(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    const end = character === "[" ? setEnd(pattern, at) : -1;
    if (end > 0) {
      tokens.push(oneOf(pattern.slice(at + 1, end)));
      at = end;
    } else tokens.push(single(character));
  }
  return tokens;
}

function single(character: string): Token {
  if (character === "*") return ANY_RUN;
  if (character === "?") return anyOne;
  return (other) => other === character;
}

/** A `]` directly after `[` or `[!` belongs to the set; without a closing one, `[` is an ordinary character. */
function setEnd(pattern: string, start: number): number {
  const first = pattern.charAt(start + 1) === "!" ? start + 2 : start + 1;
  return pattern.indexOf("]", first + 1);
}

function oneOf(body: string): Token {
  const negated = body.startsWith("!");
  const ranges = readRanges(negated ? body.slice(1) : body);
  return (character) => ranges.some(([low, high]) => low <= character && character <= high) !== negated;
}

function readRanges(body: string): readonly (readonly [string, string])[] {
  const ranges: [string, string][] = [];
  for (let at = 0; at < body.length; at += 1) {
    const isRange = body.charAt(at + 1) === "-" && at + 2 < body.length;
    ranges.push([body.charAt(at), body.charAt(isRange ? at + 2 : at)]);
    if (isRange) at += 2;
  }
  return ranges;
}
