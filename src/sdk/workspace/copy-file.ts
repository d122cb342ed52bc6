import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  futimesSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  writeSync,
} from "node:fs";

import { WorkspaceBudgetExceededError, WorkspaceSecurityError } from "./errors.ts";
import { isInside } from "./place.ts";

/** One file on its way into a workspace. */
export interface FileCopy {
  /** The resolved directory (or file) that the source may not leave. */
  readonly root: string;
  readonly source: string;
  readonly target: string;
  readonly remainingBytes: number;
}

/**
 * Copies one regular file with its mode and times and says how many bytes it had. What is read is the file that was
 * opened, checked after opening, so that a source swapped for a link or a pipe meanwhile is refused, never followed.
 */
export function copyFile(copy: FileCopy): number {
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
  if (fstatSync(descriptor).isFile() && path !== undefined && isInside(path, copy.root)) return descriptor;
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
