import { type Dirent, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { copyFile } from "./copy-file.ts";
import { WorkspaceSecurityError } from "./errors.ts";
import { fnmatch, matchesEverythingBelow } from "./fnmatch.ts";
import type { HostMount, HostMountPreview } from "./host-mount.ts";
import { isInside } from "./place.ts";

/** A mount whose two ends are known to be where they may be. */
export interface ResolvedMount {
  readonly mount: HostMount;
  readonly resolvedHost: string;
  readonly mountPath: string;
}

/** Copies what a mount asks for into the workspace and says what that was. */
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
  /** Below the host path, with `/`. */
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
  if (target === undefined || !isInside(target, resolvedHost)) return undefined;
  return lstatSync(target).isFile() ? target : undefined;
}

/** A link that leads nowhere, or in a circle, leads to nothing. */
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
