import { absolutePath } from "../../core/path.ts";
import { explain, type Result } from "../../core/trouble.ts";
import type { Host } from "../../hosts/host.ts";
import { chooseHookCommand } from "../../install/hook-command.ts";
import { hostFile, type Level, type Places } from "../../install/host-files.ts";
import { filesOf, type HostRequest, planHostInstall, planHostUninstall } from "../../install/plan-hosts.ts";
import { findProject } from "../../machine/find-project.ts";
import { readUserFile } from "../../machine/user-file.ts";
import { carryOut, type CarryOutOptions } from "../carry-out.ts";
import { detectHosts, homeOf, hostsNamed, REGISTRABLE } from "../choose-hosts.ts";
import { EXIT } from "../exit-code.ts";
import { currentInstallation } from "../installation.ts";
import { printLine, type Terminal } from "../terminal.ts";

export interface InstallOptions extends CarryOutOptions {
  readonly host: readonly string[];
  readonly allDetected?: boolean;
  readonly project?: boolean;
  readonly user?: boolean;
}

/** Registers the stop hook with the named or detected hosts. */
export async function installCommand(terminal: Terminal, options: InstallOptions): Promise<number> {
  const hosts = options.allDetected ? detectHosts(terminal) : hostsNamed(options.host);
  if (typeof hosts === "string") return refuse(terminal, hosts);
  if (hosts.length === 0) return refuse(terminal, whatToName(terminal, options));

  const command = chooseHookCommand(currentInstallation(terminal));
  const request = await requestFor(terminal, hosts, { levels: levelsOf(options), command: command.line });
  if (!request.ok) return refuse(terminal, explain(request.trouble));
  if (findProject(terminal.cwd) === undefined && !options.user)
    printLine(terminal.stdout, "There is no .gauntlet/config.yml here yet: `agent-gauntlet init` makes one.");
  if (command.note !== undefined) printLine(terminal.stdout, command.note);
  return carryOut(terminal, planHostInstall(request.value), options);
}

/** Takes our stop hooks out again, and nothing else. */
export async function uninstallCommand(terminal: Terminal, options: InstallOptions): Promise<number> {
  const hosts = options.host.length === 0 ? REGISTRABLE : hostsNamed(options.host);
  if (typeof hosts === "string") return refuse(terminal, hosts);
  const request = await requestFor(terminal, hosts, { levels: levelsOf(options), command: "" });
  if (!request.ok) return refuse(terminal, explain(request.trouble));
  const plan = planHostUninstall(request.value);
  const files = plan.files.filter(({ change }) => change.kind !== "unchanged");
  if (files.length === 0 && plan.troubles.length === 0)
    printLine(terminal.stdout, "No stop hook of ours is registered here.");
  return carryOut(terminal, { ...plan, files }, options);
}

/** Everything the plan needs, read from disk. */
export async function requestFor(
  terminal: Terminal,
  hosts: readonly Host[],
  { levels, command }: { readonly levels: readonly Level[]; readonly command: string },
): Promise<Result<HostRequest>> {
  const places = placesOf(terminal);
  const targets = levels.flatMap((level) => hosts.flatMap((host) => hostFile(host, level, places) ?? []));
  const texts = new Map<HostRequest["targets"][number]["path"], string | undefined>();
  for (const path of filesOf(targets, places)) {
    const text = await readUserFile(path);
    if (!text.ok) return text;
    texts.set(path, text.value);
  }
  return { ok: true, value: { targets, places, texts, command } };
}

export function placesOf({ cwd, env }: Terminal): Places {
  return { root: findProject(cwd) ?? absolutePath(cwd), home: absolutePath(homeOf(env)), env };
}

function levelsOf({ project, user }: InstallOptions): readonly Level[] {
  if (!user) return ["project"];
  return project ? ["project", "user"] : ["user"];
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
