import { type HookLogger, DEFAULT_MAX_STOP_RETRIES, HookContext, wholeNumber } from "./hooks.ts";
import type { Session } from "./session.ts";
import { type CompletionTool, completionTool, type CompletionValidator } from "./validation.ts";
import {
  type HostMount,
  type HostMountPreview,
  resolveHost,
  resolveMountPath,
} from "./workspace/host-mount.ts";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ResolvedMount, copyMount } from "./workspace/copy-mount.ts";

/** What a workspace is made of. */
export interface WorkspaceOptions {
  readonly session: Session;
  readonly mounts?: readonly HostMount[];
  /** Where mounts may come from; anywhere when empty. */
  readonly allowedHostRoots?: readonly string[];
  /** Asked at every stop; without one, every stop is allowed. */
  readonly completionValidator?: CompletionValidator;
  /** A whole number from 0 (never block); 3 when absent. */
  readonly maxStopRetries?: number;
}

/**
 * A temporary directory for an agent, filled with copies of host files when it is made, with the validator that decides
 * whether the agent is done there. If anything goes wrong while copying, nothing is left behind.
 */
export class ClaudeAgentWorkspaceSection {
  readonly key = "claude-agent-workspace";
  readonly title = "Workspace";
  readonly session: Session;
  /** The `validate_completion` tool, if there is a validator. */
  readonly tools: readonly CompletionTool[];
  readonly #options: WorkspaceOptions;
  readonly #maxStopRetries: number;
  readonly #files: WorkspaceFiles;
  #isReleased = false;

  constructor(options: WorkspaceOptions) {
    const { session, completionValidator, maxStopRetries, mounts = [], allowedHostRoots = [] } = options;
    this.#options = options;
    this.#maxStopRetries = wholeNumber(maxStopRetries ?? DEFAULT_MAX_STOP_RETRIES);
    this.session = session;
    this.tools = Object.freeze(completionValidator ? [completionTool(completionValidator)] : []);
    this.#files = filesOfClone.get(options)?.retain() ?? new WorkspaceFiles(mounts, allowedHostRoots);
  }

  /** Where the agent works: the `cwd` of `query()`. */
  get tempDir(): string {
    return this.#files.directory;
  }

  get mountPreviews(): readonly HostMountPreview[] {
    return this.#files.previews;
  }

  get createdAt(): Date {
    return this.#files.createdAt;
  }

  /** A context for the hooks of one `query()`: session, tools, budget and directory of this workspace. */
  hookContext(options: { readonly logger?: HookLogger } = {}): HookContext {
    const { session, tools, tempDir: cwd } = this;
    return new HookContext({ ...options, session, tools, cwd, maxStopRetries: this.#maxStopRetries });
  }

  /** The mounts in words, for a system prompt. */
  render(): string {
    return renderWorkspace(this.title, this.mountPreviews);
  }

  /** The same directory for another session. It stays until this workspace and all clones are cleaned up. */
  clone(options: { readonly session: Session }): ClaudeAgentWorkspaceSection {
    const cloned = { ...this.#options, session: options.session };
    filesOfClone.set(cloned, this.#files);
    return new ClaudeAgentWorkspaceSection(cloned);
  }

  /** Removes the directory. May be called more than once. */
  cleanup(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#files.release();
  }
}

/** How `clone` hands its files to the constructor without a second parameter in the public signature. */
const filesOfClone = new WeakMap<WorkspaceOptions, WorkspaceFiles>();

function renderWorkspace(title: string, mounts: readonly HostMountPreview[]): string {
  if (mounts.length === 0) return `## ${title}\n\nYour working directory is empty.`;
  const total = mounts.reduce((sum, mount) => sum + mount.bytesCopied, 0);
  const intro = "Your working directory holds copies of these files:";
  return [`## ${title}`, intro, mounts.flatMap(describeMount).join("\n"), `Total: ${total} bytes`].join(
    "\n\n",
  );
}

const SHOWN = 10;

function describeMount(mount: HostMountPreview): readonly string[] {
  const { mountPath, isDirectory, bytesCopied, entries, entryCount } = mount;
  if (!isDirectory) return [`- ${mountPath} (${bytesCopied} bytes)`];
  const shown = entries.slice(0, SHOWN);
  const more = entryCount - shown.length;
  return [
    `- ${mountPath}/ (${bytesCopied} bytes)`,
    ...shown.map((entry) => `  - ${entry}`),
    ...(more > 0 ? [`  - ... and ${more} more`] : []),
  ];
}

export class WorkspaceFiles {
  readonly directory: string;
  readonly previews: readonly HostMountPreview[];
  readonly createdAt: Date = new Date();
  #holders = 1;

  constructor(mounts: readonly HostMount[], allowedHostRoots: readonly string[]) {
    const resolved = mounts.map((mount) => resolveMount(mount, allowedHostRoots));
    refuseSamePlace(resolved);
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), "agent-gauntlet-workspace-")));
    try {
      this.previews = Object.freeze(resolved.map((mount) => copyMount(mount, this.directory)));
    } catch (error) {
      this.#remove();
      throw error;
    }
  }

  retain(): this {
    this.#holders += 1;
    return this;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#remove();
  }

  #remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function resolveMount(mount: HostMount, allowedHostRoots: readonly string[]): ResolvedMount {
  if (mount.maxBytes !== undefined && !(mount.maxBytes >= 0))
    throw new RangeError(`maxBytes must be a number from 0, not ${String(mount.maxBytes)}.`);
  const mountPath = resolveMountPath(mount);
  return { mount, mountPath, resolvedHost: resolveHost(mount.hostPath, allowedHostRoots) };
}

function refuseSamePlace(mounts: readonly ResolvedMount[]): void {
  const places = mounts.map((mount) => mount.mountPath);
  const twice = places.find((place, index) => places.indexOf(place) !== index);
  if (twice !== undefined) throw new Error(`Two mounts have the mount path '${twice}'.`);
}
