import { join, relative } from "node:path";
import { absolutePath } from "../../path.ts";
import { explain, ok, type Result } from "../../trouble.ts";
import type { Host } from "../../hosts/host.ts";
import type { Level } from "../files/host-files.ts";
import { type HostPlan, planHostUninstall, type PlannedFile } from "../plan-hosts.ts";
import { CONFIG_FILE, findProject } from "../../system/files/find-project.ts";
import { readUserFile } from "../../system/files/user-file.ts";
import { Git } from "../../system/git/git.ts";
import { findPlaces } from "../../system/git/places.ts";
import { GIT_HOOK_NAMES, type GitHook, planGitHookRemoval } from "../git-hook.ts";
import { applyEdit, previewChange, type SettingsEdit } from "../files/settings-file.ts";
import { carryOut, hostsNamed, REGISTRABLE, levelsOf, placesOf, requestFor } from "../host-request.ts";
import { uninstallZed, ZED } from "../zed.ts";
import { confirm } from "../../report/prompt.ts";
import { EXIT } from "../../report/exit-code.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";

export interface UninstallOptions {
  readonly host?: readonly string[];
  readonly project?: boolean;
  readonly shared?: boolean;
  readonly user?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly gitHook?: GitHook | true;
}

export async function uninstallCommand(terminal: Terminal, options: UninstallOptions): Promise<number> {
  if (options.gitHook !== undefined) return uninstallGitHooks(terminal, options);
  if (options.host?.includes(ZED.name) !== true) return uninstallHooks(terminal, options);
  const host = options.host.filter((name) => name !== ZED.name);
  const exitCode = await uninstallZed(terminal, options);
  return exitCode !== EXIT.ok || host.length === 0
    ? exitCode
    : uninstallHooks(terminal, { ...options, host });
}

async function uninstallHooks(terminal: Terminal, options: UninstallOptions): Promise<number> {
  const { host = [], project, shared, user, dryRun, yes } = options;
  const hosts = host.length === 0 ? REGISTRABLE : hostsNamed(host);
  if (typeof hosts === "string") return complain(terminal, hosts);
  const plans = await planEverywhere(terminal, hosts, levelsOf({ project, shared, user }));
  if (!plans.ok) return complain(terminal, explain(plans.trouble));
  const files = changedFiles(plans.value);
  const troubles = plans.value.flatMap((plan) => plan.troubles);
  const notes: string[] = [];
  if (!shared) notes.push(...(await stillShared(terminal, hosts, files)));
  if (!user) notes.push(...(await stillInGit(terminal)));
  if (files.length === 0 && troubles.length === 0) {
    for (const note of notes) printLine(terminal.stdout, note);
    if (notes.length === 0) printLine(terminal.stdout, "No stop hook of agent-gauntlet is registered here.");
    return EXIT.ok;
  }
  const exitCode = await carryOut(
    terminal,
    { files, troubles, notes },
    { dryRun, yes, done: "Stop hook removed from" },
  );
  if (exitCode === EXIT.ok && !dryRun)
    printLine(terminal.stdout, `${CONFIG_FILE} was left as it is: \`agent-gauntlet run\` still works.`);
  return exitCode;
}

async function uninstallGitHooks(terminal: Terminal, options: UninstallOptions): Promise<number> {
  const { cwd, stdout } = terminal;
  const places = await findPlaces(new Git(cwd));
  if (places === undefined) return complain(terminal, "There is no git repository here.");
  const { gitHook = true, dryRun, yes } = options;
  const edits: HookEdit[] = [];
  for (const name of gitHook === true ? GIT_HOOK_NAMES : [gitHook]) {
    const edit = await planHookRemoval(join(places.commonDir, "hooks", name), cwd);
    if (typeof edit === "string") return complain(terminal, edit);
    if (edit.change.kind !== "unchanged") edits.push(edit);
    else printLine(stdout, `${edit.shown} has no lines of agent-gauntlet.`);
  }
  for (const { shown, before, change } of edits) stdout.write(previewChange(shown, before, change));
  if (edits.length === 0 || dryRun) return EXIT.ok;
  if (!yes && !(await confirm(terminal, edits.length === 1 ? "Change this file?" : "Change these files?")))
    return complain(terminal, "Nothing was changed.");
  for (const edit of edits) {
    const applied = await applyEdit(edit);
    if (!applied.ok) return complain(terminal, explain(applied.trouble));
    printLine(stdout, `✓ Our lines are out of ${edit.shown}.`);
  }
  return EXIT.ok;
}

interface HookEdit extends SettingsEdit {
  readonly shown: string;
}

async function planHookRemoval(path: string, cwd: string): Promise<HookEdit | string> {
  const shown = relative(cwd, path);
  const before = await readUserFile(path);
  if (!before.ok) return explain(before.trouble);
  const change = planGitHookRemoval(before.value);
  return change.kind === "edited"
    ? `${shown}: our lines have lost their end mark. Take them out by hand.`
    : { path, shown, before: before.value, change };
}

/** What the team has committed is taken out only when that is asked for, but never passed over in silence. */
async function stillShared(
  terminal: Terminal,
  hosts: readonly Host[],
  removed: readonly PlannedFile[],
): Promise<readonly string[]> {
  const plans = await planEverywhere(terminal, hosts, ["shared"]);
  if (!plans.ok) return [];
  return changedFiles(plans.value)
    .filter(({ path }) => !removed.some((file) => file.path === path))
    .map(
      ({ shown }) =>
        `${shown} has the hook for the team: \`agent-gauntlet uninstall --shared\` takes it out.`,
    );
}

/** A git hook goes on refusing what it does not like, whatever agents do. */
async function stillInGit({ cwd }: Terminal): Promise<readonly string[]> {
  const places = await findPlaces(new Git(cwd));
  if (places === undefined) return [];
  const notes: string[] = [];
  for (const name of GIT_HOOK_NAMES) {
    const path = join(places.commonDir, "hooks", name);
    const text = await readUserFile(path);
    if (text.ok && planGitHookRemoval(text.value).kind !== "unchanged")
      notes.push(
        `${relative(cwd, path)} still runs agent-gauntlet: \`agent-gauntlet uninstall --git-hook ${name}\` takes it out.`,
      );
  }
  return notes;
}

async function planEverywhere(
  terminal: Terminal,
  hosts: readonly Host[],
  levels: readonly Level[],
): Promise<Result<readonly HostPlan[]>> {
  const here = absolutePath(terminal.cwd);
  const plans: HostPlan[] = [];
  for (const root of new Set([here, findProject(here) ?? here])) {
    const places = { ...placesOf(terminal), root };
    const request = await requestFor(places, hosts, { levels, command: "" });
    if (!request.ok) return request;
    plans.push(planHostUninstall(request.value));
  }
  return ok(plans);
}

/** A file in the home directory is the same from everywhere. */
function changedFiles(plans: readonly HostPlan[]): readonly PlannedFile[] {
  const files = plans.flatMap((plan) => plan.files).filter(({ change }) => change.kind !== "unchanged");
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

function complain(terminal: Terminal, message: string): number {
  printLine(terminal.stderr, message);
  return EXIT.notOk;
}
