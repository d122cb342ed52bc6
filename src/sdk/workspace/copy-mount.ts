import {
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  futimesSync,
  openSync,
  readlinkSync,
  readSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isWithin } from "../../system/files/is-inside.ts";
import {
  WorkspaceSecurityError,
  WorkspaceBudgetExceededError,
  type HostMount,
  type HostMountPreview,
  fnmatch,
  matchesEverythingBelow,
} from "./host-mount.ts";

export interface ResolvedMount {
  readonly mount: HostMount;
  readonly resolvedHost: string;
  readonly mountPath: string;
}

export function copyMount(resolved: ResolvedMount, workspace: string): HostMountPreview {
  const { mount, resolvedHost, mountPath } = resolved;
  const isDirectory = statSync(resolvedHost).isDirectory();
  const entries = new Set<string>();
  const skipped: string[] = [];
  let bytesCopied = 0;

  for (const file of isDirectory ? walk(resolved, workspace) : [singleFile(resolvedHost)]) {
    if (!isWanted(file.path, mount)) continue;
    const source = file.isFile ? file.source : linkTarget(file.source, resolved);
    if (source === undefined) skipped.push(file.path);
    else {
      const target = isDirectory ? join(workspace, mountPath, file.path) : join(workspace, mountPath);
      const remainingBytes = (mount.maxBytes ?? Infinity) - bytesCopied;
      mkdirSync(dirname(target), { recursive: true });
      bytesCopied += copyFile({ root: resolvedHost, source, target, remainingBytes });
      entries.add(topName(file.path));
    }
  }

  return Object.freeze({
    hostPath: mount.hostPath,
    resolvedHost,
    mountPath,
    isDirectory,
    bytesCopied,
    entries: Object.freeze([...entries].toSorted().slice(0, LISTED)),
    entryCount: entries.size,
    skipped: Object.freeze(skipped.slice(0, LISTED)),
  });
}

const LISTED = 20;

interface FoundFile {
  readonly path: string;
  readonly source: string;
  /** Otherwise a link, a pipe, a socket or a device. */
  readonly isFile: boolean;
}

function* walk({ mount, resolvedHost }: ResolvedMount, workspace: string): Generator<FoundFile> {
  const directories = [""];
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    for (const entry of listDirectory(join(resolvedHost, directory))) {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      const source = join(resolvedHost, path);
      if (!entry.isDirectory()) yield { path, source, isFile: entry.isFile() };
      else if (source !== workspace && !isPruned(path, mount)) directories.push(path);
    }
  }
}

function listDirectory(directory: string): readonly Dirent[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function isPruned(directory: string, { excludeGlob = [] }: HostMount): boolean {
  return excludeGlob.some((pattern) => matchesEverythingBelow(directory, pattern));
}

function singleFile(resolvedHost: string): FoundFile {
  if (!lstatSync(resolvedHost).isFile())
    throw new WorkspaceSecurityError(`Host path '${resolvedHost}' is neither a file nor a directory.`);
  return { path: basename(resolvedHost), source: resolvedHost, isFile: true };
}

function isWanted(path: string, { includeGlob = [], excludeGlob = [] }: HostMount): boolean {
  if (excludeGlob.some((pattern) => fnmatch(path, pattern))) return false;
  return includeGlob.length === 0 || includeGlob.some((pattern) => fnmatch(path, pattern));
}

/** The file inside the mount that a link leads to, if it is one and may be followed. */
function linkTarget(link: string, { mount, resolvedHost }: ResolvedMount): string | undefined {
  if (mount.followSymlinks !== true || !lstatSync(link).isSymbolicLink()) return undefined;
  const target = resolveLink(link);
  if (target === undefined || !isWithin(resolvedHost, target)) return undefined;
  return lstatSync(target).isFile() ? target : undefined;
}

function resolveLink(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch {
    return undefined;
  }
}

function topName(path: string): string {
  const slash = path.indexOf("/");
  return slash < 0 ? path : path.slice(0, slash + 1);
}

interface FileCopy {
  readonly root: string;
  readonly source: string;
  readonly target: string;
  readonly remainingBytes: number;
}

/**
 * Copies one regular file with its mode and times and says how many bytes it had. What is read is the file that was
 * opened, checked after opening, so that a source swapped for a link or a pipe meanwhile is refused, never followed.
 */
function copyFile(copy: FileCopy): number {
  const source = openWithin(copy);
  try {
    return copyContent(source, copy);
  } finally {
    closeSync(source);
  }
}

function openWithin(copy: FileCopy): number {
  const descriptor = openFile(copy.source);
  const path = openedPath(descriptor, copy.source);
  if (fstatSync(descriptor).isFile() && path !== undefined && isWithin(copy.root, path)) return descriptor;
  closeSync(descriptor);
  throw changedMeanwhile(copy.source);
}

/** Follows no link, and does not wait for a writer if the file has become a pipe. Windows has neither flag: undefined, which counts as 0. */
function openFile(path: string): number {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    // ELOOP: a link where a file was; ENXIO: a socket or a device without a driver.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    throw code === "ELOOP" || code === "ENXIO" ? changedMeanwhile(path) : error;
  }
}

/** Where the opened file is: from the kernel on Linux; elsewhere the resolved path, if it still is the same file. */
function openedPath(descriptor: number, path: string): string | undefined {
  if (process.platform === "linux") return readlinkSync(`/proc/self/fd/${descriptor}`);
  const resolved = realpathSync(path);
  const [opened, found] = [fstatSync(descriptor), lstatSync(resolved)];
  return opened.dev === found.dev && opened.ino === found.ino ? resolved : undefined;
}

function changedMeanwhile(path: string): WorkspaceSecurityError {
  return new WorkspaceSecurityError(`'${path}' was replaced while it was being copied.`);
}

function copyContent(source: number, copy: FileCopy): number {
  const stats = fstatSync(source);
  if (stats.size > copy.remainingBytes) throw overBudget(copy);
  const target = openSync(copy.target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    const bytes = pour(source, target, copy);
    fchmodSync(target, stats.mode & 0o777);
    futimesSync(target, stats.atime, stats.mtime);
    return bytes;
  } finally {
    closeSync(target);
  }
}

/** Counts what it reads: a file may grow, and some report no size at all. */
function pour(source: number, target: number, copy: FileCopy): number {
  const buffer = Buffer.allocUnsafe(256 * 1024);
  let total = 0;
  for (let size = readSync(source, buffer); size > 0; size = readSync(source, buffer)) {
    total += size;
    if (total > copy.remainingBytes) throw overBudget(copy);
    for (let written = 0; written < size;) written += writeSync(target, buffer, written, size - written);
  }
  return total;
}

function overBudget(copy: FileCopy): WorkspaceBudgetExceededError {
  return new WorkspaceBudgetExceededError(`'${copy.source}' exceeds the byte budget of its mount.`);
}
