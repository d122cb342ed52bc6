import { join } from "node:path";
import { projectPath } from "../../../path.ts";
import { inputsKey, treeKey } from "../../../run/pass-key.ts";
import type { Environment } from "../../../system/process/environment.ts";
import { openSharedPasses } from "../shared-passes.ts";
import type { Checkout } from "./checkouts.ts";
import type { GateJob } from "./queue.ts";

interface Sharing {
  readonly url: string;
  readonly platform: string;
  readonly env: Environment;
}

const EXPIRES_MS = 30 * 86_400_000;

/** Signs that a gate passed here. Works out the key from what ran: whoever sends jobs could name any. Returns what went wrong. */
export async function sharePass(
  job: GateJob,
  checkout: Checkout,
  { url, platform, env }: Sharing,
): Promise<string | undefined> {
  if (!(await checkout.isUntouched())) return undefined; // it changed what it judged
  const { id, gate, tree, project, baseBranch } = job;
  const keyed = {
    gate,
    workingDirectory: projectPath(job.workingDirectory),
    files: job.files.map((path) => ({ path })),
  };
  const contents = gate.inputs === undefined ? undefined : await checkout.listFiles(project);
  const key =
    gate.inputs === undefined
      ? treeKey(keyed, { tree, bytes: await checkout.bytesUnlikeGit(), project, baseBranch })
      : contents && inputsKey(keyed, { contents, baseBranch });
  if (key === undefined) return undefined;
  const cache = { url, write: "always", trust: [], expiresMs: EXPIRES_MS, budgetMs: 1 } as const;
  const gates = [{ planned: { id, gate }, key }];
  const root = join(checkout.path, project);
  const passes = await openSharedPasses({
    cache,
    root,
    env,
    platform,
    tree: () => Promise.resolve(tree),
    gates,
    ci: true, // a missing key is worth a word
    wanted: new Set(),
  });
  return passes.write([id]);
}
