import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ResolvedMount, copyMount } from "./copy-mount.ts";
import type { HostMount, HostMountPreview } from "./host-mount.ts";
import { resolveHost, resolveMountPath } from "./place.ts";

/** A temporary directory with the copied mounts; removed when its last holder lets go. */
export class WorkspaceFiles {
  readonly directory: string;
  readonly previews: readonly HostMountPreview[];
  readonly createdAt = new Date();
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
