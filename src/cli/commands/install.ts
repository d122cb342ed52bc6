import { explain } from "../../core/trouble.ts";
import type { Host } from "../../hosts/host.ts";
import { chooseHookCommand } from "../../install/hook-command.ts";
import { planHostInstall } from "../../install/plan-hosts.ts";
import { findProject } from "../../machine/files/find-project.ts";
import { carryOut } from "../carry-out.ts";
import { detectHosts, hostsNamed, REGISTRABLE } from "../choose-hosts.ts";
import { EXIT } from "../exit-code.ts";
import { installGitHook } from "../git-hook.ts";
import { levelsOf, placesOf, requestFor } from "../host-request.ts";
import { installationOf, runningProgram } from "../installation.ts";
import { printLine, type Terminal } from "../terminal.ts";

export interface InstallOptions {
  readonly host?: readonly string[];
  readonly allDetected?: boolean;
  readonly project?: boolean;
  readonly user?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly gitHook?: boolean;
}

/** Registers the stop hook with the named or detected hosts. */
export async function installCommand(terminal: Terminal, options: InstallOptions): Promise<number> {
  if (options.gitHook) return installGitHook(terminal, options);
  const hosts = options.allDetected ? detectHosts(terminal) : hostsNamed(options.host ?? []);
  if (typeof hosts === "string") return refuse(terminal, hosts);
  if (hosts.length === 0) return refuse(terminal, whatToName(terminal, options));
  return installFor(terminal, hosts, options);
}

/** Shows, asks and registers. */
export async function installFor(
  terminal: Terminal,
  hosts: readonly Host[],
  { project, user, dryRun, yes }: Omit<InstallOptions, "host" | "allDetected">,
): Promise<number> {
  const command = chooseHookCommand(installationOf(runningProgram(), terminal));
  const request = await requestFor(placesOf(terminal), hosts, {
    levels: levelsOf({ project, user }),
    command: command.line,
  });
  if (!request.ok) return refuse(terminal, explain(request.trouble));
  if (findProject(terminal.cwd) === undefined && !user)
    printLine(terminal.stdout, "There is no .gauntlet/config.yml here yet: `agent-gauntlet init` makes one.");
  if (command.note !== undefined) printLine(terminal.stdout, command.note);
  return carryOut(terminal, planHostInstall(request.value), { dryRun, yes });
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
