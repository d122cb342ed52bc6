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
