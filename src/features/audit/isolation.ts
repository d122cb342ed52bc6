import { findExecutable } from "../../system/process/executables.ts";
import type { Environment } from "../../system/process/environment.ts";
import { runProcess } from "../../system/process/run-process.ts";

/** How a hook is kept from the network and from the work tree. */
export interface Isolation {
  readonly hasNetwork: boolean;
  /** What the argv of the hook is put behind. */
  readonly before: readonly string[];
}

type Start = readonly [program: string, ...args: string[]];

/** In a mount namespace of its own the project is read-only; the words behind `sh` are its directory and the hook. */
const READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';

/** The strictest of the ways this system offers. */
export async function findIsolation(root: string, env: Environment): Promise<Isolation> {
  const ways: readonly Start[] = [
    ["unshare", "-rmn", "/bin/sh", "-c", READ_ONLY, root],
    ["unshare", "-rn"],
    ["unshare", "-n"],
    ["sandbox-exec", "-p", "(version 1)(allow default)(deny network*)"],
  ];
  for (const [program, ...args] of ways) {
    const path = findExecutable(program, env, root);
    if (path === undefined) continue;
    const end = await runProcess({
      argv: [path, ...args, "true"],
      cwd: root,
      env,
      timeoutMs: 10_000,
      onOutput: () => undefined,
    });
    if (end.kind === "exited" && end.exitCode === 0) return { hasNetwork: false, before: [path, ...args] };
  }
  return { hasNetwork: true, before: [] };
}
