import { mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Fingerprint, withSnapshot } from "./snapshot.ts";

/** Fingerprints tracked and untracked (not ignored) files. Staging and committing do not change the fingerprint. */
export async function fingerprintWorkTree(cwd: string): Promise<Fingerprint> {
  return withSnapshot(cwd, (snapshot) => snapshot.fingerprint());
}

/** Fingerprints the work tree and keeps its new objects in `<keepIn>/<tree id>`, so that the tree can be read later. */
export async function snapshotWorkTree(cwd: string, keepIn: string): Promise<Fingerprint> {
  mkdirSync(keepIn, { recursive: true });
  return withSnapshot(
    cwd,
    async ({ fingerprint, directory }) => {
      const tree = await fingerprint();
      if (directory === undefined || tree.kind === "none") return tree;
      const kept = join(keepIn, tree.hash);
      rmSync(join(directory, "index"), { force: true });
      if (statSync(kept, { throwIfNoEntry: false }) === undefined) renameSync(directory, kept);
      return tree;
    },
    { parent: keepIn },
  );
}
