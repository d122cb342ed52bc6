import type { EarlierTree } from "../../run/earlier-tree.ts";
import { objectsEnv } from "../../system/git/git.ts";
import type { Repository } from "../../system/git/repository.ts";
import { type CommittedBaseline, EMPTY_BASELINE, readBaselineText } from "./baseline-file.ts";
import { BASELINE_FILE } from "./store.ts";

export async function baselineAt(
  repository: Repository | undefined,
  { tree, objects }: EarlierTree,
): Promise<CommittedBaseline> {
  if (repository === undefined) return EMPTY_BASELINE;
  const path = `${tree}:${repository.places.prefix}${BASELINE_FILE}`;
  const text = await repository.git.ask(["cat-file", "blob", path], { env: objectsEnv(objects) });
  if (!text.ok || text.value.exitCode !== 0) return EMPTY_BASELINE;
  const baseline = readBaselineText(text.value.stdout.toString());
  return typeof baseline === "string" ? EMPTY_BASELINE : baseline;
}
