import { homedir } from "node:os";
import { join } from "node:path";
import { findHost, HOSTS } from "../hosts/host-table.ts";
import type { Host } from "../hosts/host.ts";
import { refusal } from "../hosts/refused.ts";
import { findOnPath } from "../machine/process/executables.ts";
import { kindOf } from "../machine/files/files.ts";
import type { Terminal } from "./terminal.ts";

/** The hosts that can be registered, in the table's order. */
export const REGISTRABLE: readonly Host[] = HOSTS.filter((host) => host.registration !== undefined);

/** The hosts a person named, or why one of them cannot be had. */
export function hostsNamed(names: readonly string[]): readonly Host[] | string {
  const problem = names.map(problemWith).find((found) => found !== undefined);
  if (problem !== undefined) return problem;
  return REGISTRABLE.filter((host) => names.includes(host.name));
}

/** The hosts this machine seems to have: a program on the PATH, or a folder of theirs in the home directory. */
export function detectHosts({ env }: Terminal): readonly Host[] {
  return REGISTRABLE.filter(({ registration }) => {
    const { executables = [], homeFolder = "" } = registration ?? {};
    const isOnPath = executables.some((name) => findOnPath(name, env).length > 0);
    return isOnPath || kindOf(join(homeOf(env), homeFolder)) === "directory";
  });
}

export function homeOf(env: Terminal["env"]): string {
  return env["HOME"] || env["USERPROFILE"] || homedir();
}

function problemWith(name: string): string | undefined {
  return findHost(name)?.registration === undefined ? refusal(name, REGISTRABLE) : undefined;
}
