import { join, relative, resolve } from "node:path";
import { explain } from "../../trouble.ts";
import type { Host } from "../../hosts/host.ts";
import { chooseHookCommand, isOfOneProject, portableHookCommand } from "../hook-command.ts";
import { planHostInstall, type HostPlan } from "../plan-hosts.ts";
import { findProject } from "../../system/files/find-project.ts";
import { readText } from "../../system/files/files.ts";
import {
  carryOut,
  detectHosts,
  hostsNamed,
  REGISTRABLE,
  levelsOf,
  placesOf,
  requestFor,
} from "../host-request.ts";
import { EXIT } from "../../report/exit-code.ts";
import { installationOf, runningProgram } from "../installation.ts";
import { offerIgnore } from "../offer-ignore.ts";
import { Prompt, confirm } from "../../report/prompt.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import { GIT_HOOKS, type GitHook, planGitHook } from "../git-hook.ts";
import { previewChange } from "../files/settings-file.ts";
import { makeExecutable, readUserFile, replaceUserFile } from "../../system/files/user-file.ts";
import { Git } from "../../system/git/git.ts";
import { findPlaces, type GitPlaces } from "../../system/git/places.ts";
import { installZed, ZED } from "../zed.ts";
import { PACKAGE } from "../../package-name.ts";

export interface InstallOptions {
  readonly host?: readonly string[];
  readonly allDetected?: boolean;
  readonly project?: boolean;
  /** In the file that is committed, with a command that holds on every machine. */
  readonly shared?: boolean;
  readonly user?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly gitHook?: GitHook | true;
}

export async function installCommand(terminal: Terminal, options: InstallOptions): Promise<number> {
  if (options.gitHook) return installGitHook(terminal, options);
  const named = options.host?.filter((name) => name !== ZED.name) ?? [];
  if (options.host?.includes(ZED.name)) {
    const exitCode = await installZed(terminal, options);
    if (exitCode !== EXIT.ok || named.length === 0) return exitCode;
  }
  const hosts = options.allDetected ? detectHosts(terminal) : hostsNamed(named);
  if (typeof hosts === "string") return refuse(terminal, hosts);
  if (hosts.length === 0) return refuse(terminal, whatToName(terminal, options));
  return installFor(terminal, hosts, options);
}

export async function installFor(
  terminal: Terminal,
  hosts: readonly Host[],
  { project, shared, user, dryRun, yes }: InstallOptions,
): Promise<number> {
  const places = placesOf(terminal);
  const command = shared
    ? portableHookCommand(isDependency(places.root))
    : chooseHookCommand(installationOf(runningProgram(), terminal));
  if (user && isOfOneProject(command.line)) return refuse(terminal, NOT_OF_ONE_PROJECT);
  const request = await requestFor(places, hosts, {
    levels: levelsOf({ project, shared, user }),
    command: command.line,
  });
  if (!request.ok) return refuse(terminal, explain(request.trouble));
  const homeOnly = hosts.filter(({ registration }) => registration?.projectFile === undefined);
  if (!user) for (const host of homeOnly) printLine(terminal.stderr, hasNoProjectFile(host));
  if (request.value.targets.length === 0) return EXIT.notOk;
  if (findProject(terminal.cwd) === undefined && !user)
    printLine(terminal.stdout, "There is no .gauntlet/config.yml here yet: `agent-gauntlet init` makes one.");
  if (command.note !== undefined) printLine(terminal.stdout, command.note);
  if (user) printLine(terminal.stdout, ONLY_ALLOWED);
  const plan = planHostInstall(request.value);
  const exitCode = await carryOut(terminal, plan, { dryRun, yes });
  if (exitCode === EXIT.ok && !dryRun) await offerIgnores(terminal, plan, { root: places.root, yes });
  return exitCode;
}

const NOT_OF_ONE_PROJECT = `A hook in your home directory serves every project, and the program that runs now is the copy of one project, or one that npx fetched. Run \`npm install --global ${PACKAGE}\` first.`;
const ONLY_ALLOWED =
  "In your home directory the hook serves every project. It runs a project's gates once you have looked at them: `agent-gauntlet allow`, typed there.";

/** Only a host that keeps personal settings apart from the team's has a file that should not be committed. */
async function offerIgnores(
  terminal: Terminal,
  { files }: HostPlan,
  { root, yes }: { readonly root: string; readonly yes: boolean | undefined },
): Promise<void> {
  const personal = files.filter(
    ({ level, registration }) => level === "project" && registration.sharedFile !== undefined,
  );
  using prompt = terminal.isInteractive && !yes ? new Prompt(terminal) : undefined;
  for (const { shown } of personal) await offerIgnore({ ...terminal, cwd: root }, shown, prompt);
}

function isDependency(root: string): boolean {
  const manifest = readText(join(root, "package.json"));
  return manifest.ok && new RegExp(`"${PACKAGE}"\\s*:`).test(manifest.value);
}

function hasNoProjectFile({ name, title }: Host): string {
  return `${title} has no hooks per project, only in your home directory: \`agent-gauntlet install --host ${name} --user\`.`;
}

function refuse(terminal: Terminal, message: string): number {
  printLine(terminal.stderr, message);
  return EXIT.notOk;
}

function whatToName(terminal: Terminal, { allDetected }: InstallOptions): string {
  if (allDetected) return `No agent was found on this machine. Name one with --host: ${names(REGISTRABLE)}.`;
  const found = detectHosts(terminal);
  const hint =
    found.length === 0 ? "" : ` Found on this machine: ${names(found)} (--all-detected takes all).`;
  return `Name an agent with --host: ${names(REGISTRABLE)}.${hint}`;
}

function names(hosts: readonly Host[]): string {
  return hosts.map((host) => host.name).join(", ");
}

interface GitHookOptions {
  readonly gitHook?: GitHook | true | undefined;
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

async function installGitHook(terminal: Terminal, options: GitHookOptions): Promise<number> {
  const { dryRun, yes, gitHook = true } = options;
  const hook = hookNamed(gitHook);
  const { stdout } = terminal;
  const git = new Git(terminal.cwd);
  const places = await findPlaces(git);
  if (places === undefined) return refuseGitHook(terminal, "There is no git repository here.");
  const command = chooseHookCommand(installationOf(runningProgram(), terminal), GIT_HOOKS[hook]);
  const managed = await managedHooks(git, places, hook);
  if (managed !== undefined)
    return refuseGitHook(terminal, leftAlone(managed, SET_BY_GIT, { hook, command: command.line }));
  const path = join(places.commonDir, "hooks", hook);
  const before = await readUserFile(path);
  if (!before.ok) return refuseGitHook(terminal, explain(before.trouble));
  const directory = relative(places.top, findProject(terminal.cwd) ?? terminal.cwd) || ".";
  const plan = planGitHook(before.value, { hook, command: command.line, directory });
  const shown = relative(terminal.cwd, path);
  if (plan.kind === "left-alone")
    return refuseGitHook(terminal, leftAlone(shown, plan.why, { hook, command: command.line }));
  const change =
    plan.kind === "present" ? ({ kind: "unchanged" } as const) : { ...plan, kind: "written" as const };
  stdout.write(previewChange(shown, before.value, change));
  if (plan.kind === "present" || dryRun) return EXIT.ok;
  if (!yes && !(await confirm(terminal, "Change this file?")))
    return refuseGitHook(terminal, "Nothing was changed.");
  const written = await replaceUserFile(path, plan.text);
  const done = written.ok ? await makeExecutable(path) : written;
  if (!done.ok) return refuseGitHook(terminal, explain(done.trouble));
  printLine(stdout, `✓ ${INSTALLED[hook]} now (${shown}).`);
  return EXIT.ok;
}

const INSTALLED = { "pre-push": "Every push is verified", "pre-commit": "Every commit is checked" } as const;

function hookNamed(gitHook: GitHook | true): GitHook {
  return gitHook === true ? "pre-push" : gitHook;
}

const SET_BY_GIT = "`core.hooksPath` says so";

/** The hook under `core.hooksPath`, where hook managers or teams have set that; undefined otherwise. */
async function managedHooks(
  git: Git,
  { top, commonDir }: GitPlaces,
  hook: GitHook,
): Promise<string | undefined> {
  const asked = ["config", "--null", "--show-scope", "--type=path", "--get-all", "core.hooksPath"];
  const answer = await git.output(asked);
  if (!answer.ok) return undefined;
  const words = answer.value.toString().split("\0");
  const values = words.filter((_, index) => index % 2 === 1 && words[index - 1] !== "command"); // ours switches hooks off
  const value = values.at(-1);
  if (value === undefined || resolve(top, value) === join(commonDir, "hooks")) return undefined;
  return join(value, hook);
}

function leftAlone(
  file: string,
  why: string,
  { hook, command }: { readonly hook: GitHook; readonly command: string },
): string {
  return [
    `${file} is left alone: ${why}. Nothing was changed.`,
    hook === "pre-push"
      ? `Have it run this on every push, with git's lines on stdin:\n  ${command} <name of the remote>`
      : `Have it run this before every commit:\n  ${command}`,
  ].join("\n");
}

function refuseGitHook({ stderr }: Terminal, message: string): number {
  printLine(stderr, message);
  return EXIT.notOk;
}
