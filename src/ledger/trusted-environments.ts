import { delimiter } from "node:path";
import { MISLEADING } from "../system/git/git.ts";
import { environmentHash } from "../system/process/environment-hash.ts";
import type { Environment } from "../system/process/environment.ts";
import { ledgerOf } from "./ledger.ts";
import { listSessions } from "../stop/session-store.ts";

interface Asker {
  readonly root: string;
  readonly env: Environment;
}

/**
 * The environments in which a pass counts for others: those in which hosts started the first hooks of sessions here. An agent that runs
 * gates in another one has changed it. Where no session is known, as on a build server, the environment of who asks.
 */
export function trustedEnvironments({ root, env }: Asker): ReadonlySet<string> {
  const { directory } = ledgerOf(root, env);
  const starts = listSessions(env).flatMap(({ session }) => session.starts ?? []);
  const here = starts.filter((start) => ledgerOf(start.root, env).directory === directory);
  const known = here.flatMap(({ environment }) => environment ?? []);
  return new Set(known.length > 0 ? known : [environmentHash(env), environmentHash(outsideOfHook(env))]);
}

/** The environment around `git push`, where one of git's hooks asks: git has put its own programs in front, and named its repository. */
function outsideOfHook({ GIT_EXEC_PATH, ...env }: Environment): Environment {
  const path = (env["PATH"] ?? "").split(delimiter);
  const PATH = path[0] === GIT_EXEC_PATH ? path.slice(1).join(delimiter) : env["PATH"];
  const kept = Object.entries({ ...env, PATH }).filter(([name]) => !MISLEADING.includes(name));
  return Object.fromEntries(kept);
}
