import { loadSettings } from "../config/gauntlet/load.ts";
import { absolutePath, type AbsolutePath } from "../core/path.ts";
import type { Result } from "../core/trouble.ts";
import type { HookKind, Host } from "../hosts/host.ts";
import { hostFile, type Level, type Places } from "../install/host-files.ts";
import { filesOf, type HostRequest } from "../install/plan-hosts.ts";
import { findProject } from "../machine/files/find-project.ts";
import { readUserFile } from "../machine/files/user-file.ts";
import { homeOf } from "./choose-hosts.ts";
import type { Terminal } from "./terminal.ts";

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
  if (!loaded.ok) return { hooks: ["session_start", "stop"] };
  const { on, background: isBackground } = loaded.value.settings.stopHook;
  const others = on.filter((kind) => kind !== "stop");
  const more: readonly HookKind[] = others.length === 0 ? [] : [...others, "stop_failure", "session_end"];
  return { hooks: ["session_start", "stop", ...more], isBackground };
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
