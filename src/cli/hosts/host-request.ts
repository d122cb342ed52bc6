import { loadSettings } from "../../config/gauntlet/load.ts";
import { absolutePath, type AbsolutePath } from "../../core/path.ts";
import type { Result } from "../../core/trouble.ts";
import type { HookKind, Host } from "../../hosts/host.ts";
import { hostFile, type Level, type Places } from "../../install/files/host-files.ts";
import { filesOf, type HostRequest } from "../../install/plan-hosts.ts";
import { findProject } from "../../machine/files/find-project.ts";
import { readUserFile } from "../../machine/files/user-file.ts";
import type { Terminal } from "../output/terminal.ts";
import { homedir } from "node:os";
import { join } from "node:path";
import { findHost, HOSTS } from "../../hosts/host-table.ts";
import { refusal } from "../../hosts/refused.ts";
import { findOnPath } from "../../machine/process/executables.ts";
import { kindOf } from "../../machine/files/files.ts";

interface LevelOptions {
  readonly project?: boolean | undefined;
  readonly shared?: boolean | undefined;
  readonly user?: boolean | undefined;
}

/** Everything the plan needs, read from disk. */
export async function requestFor(
  places: Places,
  hosts: readonly Host[],
  { levels, command }: { readonly levels: readonly Level[]; readonly command: string },
): Promise<Result<HostRequest>> {
  const wanted = await wantedIn(places);
  const targets = levels.flatMap((level) => hosts.flatMap((host) => hostFile(host, level, places) ?? []));
  const texts = new Map<AbsolutePath, string | undefined>();
  for (const path of filesOf(targets, places)) {
    const text = await readUserFile(path);
    if (!text.ok) return text;
    texts.set(path, text.value);
  }
  return { ok: true, value: { targets, places, texts, command, ...wanted } };
}

/** Where a session begins, the agent's stop, what else the project gates, and then the end of a session too, which clears what the others left. */
export async function wantedIn({
  root,
  env,
}: Pick<Places, "root" | "env">): Promise<Pick<HostRequest, "hooks" | "isBackground">> {
  const loaded = await loadSettings(root, env);
  if (!loaded.ok) return { hooks: ["session_start", "prompt", "stop"] };
  const { on, background: isBackground } = loaded.value.settings.stopHook;
  const others = on.filter((kind) => kind !== "stop");
  const more: readonly HookKind[] = others.length === 0 ? [] : [...others, "stop_failure", "session_end"];
  return { hooks: ["session_start", "prompt", "stop", ...more], isBackground };
}

export function placesOf({ cwd, env }: Terminal): Places {
  return { root: findProject(cwd) ?? absolutePath(cwd), home: absolutePath(homeOf(env)), env };
}

export function levelsOf({ project, shared, user }: LevelOptions): readonly Level[] {
  const levels = [
    ...(project ? (["project"] as const) : []),
    ...(shared ? (["shared"] as const) : []),
    ...(user ? (["user"] as const) : []),
  ];
  return levels.length === 0 ? ["project"] : levels;
}

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

function homeOf(env: Terminal["env"]): string {
  return env["HOME"] || env["USERPROFILE"] || homedir();
}

function problemWith(name: string): string | undefined {
  return findHost(name)?.registration === undefined ? refusal(name, REGISTRABLE) : undefined;
}
