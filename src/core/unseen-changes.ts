import type { ChangedFile, ChangeSet } from "./change-set.ts";
import { mayMatchBelow } from "./entry-point.ts";
import { displayPath } from "./path.ts";
import { GONE, type Plan } from "./plan.ts";
import type { EntryPoint } from "./settings.ts";

/** Changes that some gate is there for, but that none can be given: the user must know that nobody looked at them. */
export function unseenChanges(
  entryPoints: readonly EntryPoint[],
  { files }: ChangeSet,
  plan: Plan,
): readonly string[] {
  const seen = new Set(plan.gates.flatMap((planned) => planned.files.map(({ path }) => path)));
  const isMeant = ({ path }: ChangedFile): boolean =>
    entryPoints.some(
      (one) => mayMatchBelow(one.path, path) || path.startsWith(`${one.path.replace(/\/\*$/, "")}/`),
    );
  const unseen = files.filter((file) => why(file) !== undefined && !seen.has(file.path) && isMeant(file));
  const gone = plan.skipped.filter(({ reason }) => reason.endsWith(GONE));
  return [
    ...unseen.slice(0, MOST_TOLD).map((file) => `No gate looked at ${displayPath(file.path)}: ${why(file)}.`),
    ...gone.slice(0, MOST_TOLD).map(({ id, reason }) => `${displayPath(id)} did not run: ${reason}.`),
  ];
}

const MOST_TOLD = 5;

function why({ path, isRepository }: ChangedFile): string | undefined {
  if (isRepository) return "it is a repository of its own, and what changed in it is not known";
  return path.includes("\uFFFD") ? "its name is not UTF-8" : undefined;
}
