import { loadSettings } from "../config/gauntlet/load.ts";
import { absolutePath, type AbsolutePath } from "../path.ts";
import { type Result, explain } from "../trouble.ts";
import type { HookKind, Host } from "../hosts/host.ts";
import { hostFile, type Level, type Places } from "./files/host-files.ts";
import { filesOf, type HostRequest, type HostPlan, type PlannedFile } from "./plan-hosts.ts";
import type { WantedEvents } from "./hook-registration.ts";
import type { Environment } from "../system/process/environment.ts";
import { findProject } from "../system/files/find-project.ts";
import { readUserFile } from "../system/files/user-file.ts";
import { type Terminal, printLine } from "../report/terminal.ts";
import { homeDirectory } from "../system/files/xdg.ts";
import { join, relative } from "node:path";
import { findHost, HOSTS, refusal } from "../hosts/host-table.ts";
import { findOnPath } from "../system/process/executables.ts";
import { kindOf } from "../system/files/files.ts";
import { previewChange, applyEdit } from "./files/settings-file.ts";
import { confirm } from "../report/prompt.ts";
import { EXIT } from "../report/exit-code.ts";

interface LevelOptions {
  readonly project?: boolean | undefined;
  readonly shared?: boolean | undefined;
  readonly user?: boolean | undefined;
}

export async function requestFor(
  places: Places,
  hosts: readonly Host[],
  { levels, command }: { readonly levels: readonly Level[]; readonly command: string },
): Promise<Result<HostRequest>> {
  const wanted = await wantedIn(places.root, places.env);
  const targets = levels.flatMap((level) => hosts.flatMap((host) => hostFile(host, level, places) ?? []));
  const texts = new Map<AbsolutePath, string | undefined>();
  for (const path of filesOf(targets, places)) {
    const text = await readUserFile(path);
    if (!text.ok) return text;
    texts.set(path, text.value);
  }
  return { ok: true, value: { targets, places, texts, command, ...wanted } };
}

/** Where a session begins, what could switch our hooks off, the agent's stop, what else the project gates, and then the end of a session too, which clears what the others left. */
export async function wantedIn(root: AbsolutePath, env: Environment): Promise<WantedEvents> {
  const loaded = await loadSettings(root, env);
  if (!loaded.ok) return { hooks: ALWAYS };
  const { stopHook, entryPoints, runAhead } = loaded.value.settings;
  const { on, background: isBackground } = stopHook;
  const others = on.filter((kind) => kind !== "stop");
  const isEditAwaited = entryPoints.some(({ gates }) =>
    gates.some((gate) => gate.kind === "check" && gate.onEdit !== undefined),
  );
  const edits: readonly HookKind[] = isEditAwaited || runAhead !== undefined ? ["edit", "shell_edit"] : [];
  const ends: readonly HookKind[] = others.length === 0 ? [] : ["stop_failure"];
  const isEndOfUse = ends.length > 0 || runAhead !== undefined;
  const last: readonly HookKind[] = isEndOfUse ? [...ends, "session_end"] : [];
  return {
    hooks: [...ALWAYS, ...others, ...last, ...edits],
    isBackground,
    isEditAwaited,
  };
}

const ALWAYS: readonly HookKind[] = ["session_start", "prompt", "config_change", "stop"];

export function placesOf({ cwd, env }: Terminal): Places {
  return { root: findProject(cwd) ?? absolutePath(cwd), home: absolutePath(homeDirectory(env)), env };
}

export function levelsOf(options: LevelOptions): readonly Level[] {
  const levels = (["project", "shared", "user"] as const).filter((level) => options[level]);
  return levels.length === 0 ? ["project"] : levels;
}

export const REGISTRABLE: readonly Host[] = HOSTS.filter((host) => host.registration !== undefined);

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
    return isOnPath || kindOf(join(homeDirectory(env), homeFolder)) === "directory";
  });
}

function problemWith(name: string): string | undefined {
  return findHost(name)?.registration === undefined ? refusal(name, REGISTRABLE) : undefined;
}

interface CarryOutOptions {
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly done?: string;
}

/** Shows what would change, asks, does it, and says what else there is to know. Trouble in one file does not keep back another. */
export async function carryOut(
  terminal: Terminal,
  plan: HostPlan,
  { dryRun, yes, done = "Stop hook installed in" }: CarryOutOptions,
): Promise<number> {
  show(terminal, plan);
  const changes = plan.files.filter((file) => file.change.kind !== "unchanged");
  const code = plan.troubles.length === 0 ? EXIT.ok : EXIT.notOk;
  if (changes.length === 0 || dryRun) return code;
  if (!yes && !(await confirm(terminal, "Change these files?"))) {
    printLine(terminal.stdout, "Nothing was changed.");
    return EXIT.notOk;
  }
  if (!(await apply(terminal, changes))) return EXIT.notOk;
  printLine(terminal.stdout, `✓ ${done} ${changes.map((file) => fromHere(terminal, file)).join(", ")}`);
  return code;
}

function show(terminal: Terminal, { files, troubles, notes }: HostPlan): void {
  for (const file of files)
    terminal.stdout.write(previewChange(fromHere(terminal, file), file.before, file.change));
  for (const trouble of troubles) printLine(terminal.stderr, explain(trouble));
  for (const note of notes) printLine(terminal.stdout, `→ ${note}`);
}

async function apply(terminal: Terminal, changes: readonly PlannedFile[]): Promise<boolean> {
  const results = await Promise.all(changes.map(applyEdit));
  for (const result of results) if (!result.ok) printLine(terminal.stderr, explain(result.trouble));
  return results.every((result) => result.ok);
}

function fromHere({ cwd }: Terminal, { level, path, shown }: PlannedFile): string {
  return level === "user" ? shown : relative(cwd, path);
}
