import { dirname, resolve } from "node:path";
import type { StopEvent } from "../../hosts/stop-event.ts";
import { startIn, withStart } from "../../stop/session.ts";
import { readSession, updateSession } from "../../stop/session-store.ts";
import { now } from "../../system/clock.ts";
import { isBelow } from "../../system/files/find-project.ts";
import { projectInTree } from "../../system/git/places.ts";
import type { Environment } from "../../system/process/environment.ts";

/** Remembers other work trees of the repository in which the agent edited files: a stop elsewhere must name them. */
export function noteEditedTrees(
  {
    event,
    root,
    files,
  }: { readonly event: StopEvent; readonly root: string; readonly files: readonly string[] },
  env: Environment,
): void {
  const outside = files.map((file) => dirname(resolve(event.cwd, file))).filter((dir) => !isBelow(dir, root));
  const trees = new Set(outside.flatMap((dir) => projectInTree(dir, root) ?? []));
  const known = readSession(event, env).value;
  for (const tree of trees)
    if (startIn(known, tree) === undefined) updateSession(event, env, withStart({ root: tree, at: now() }));
}
