import { realpathSync } from "node:fs";
import { basename, isAbsolute, posix, relative, sep, win32 } from "node:path";

/** The host path with its links resolved, once it is known to lie in one of the allowed roots (none given: anywhere). */
export function resolveHost(hostPath: string, allowedRoots: readonly string[]): string {
  const resolved = realpathSync(hostPath);
  if (allowedRoots.length === 0) return resolved;
  if (allowedRoots.some((root) => isInsideRoot(resolved, root))) return resolved;
  throw new WorkspaceSecurityError(`Host path '${hostPath}' is outside the allowed host roots.`);
}

/** Whether a resolved path is that directory or lies below it. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The mount's place in the workspace, with `/` and without detours. */
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
    return isInside(resolved, realpathSync(root));
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
