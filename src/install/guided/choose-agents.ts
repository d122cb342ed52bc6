import type { Host } from "../../hosts/host.ts";
import { absolutePath } from "../../path.ts";
import type { Terminal } from "../../report/terminal.ts";
import { explain } from "../../trouble.ts";
import type { InitOptions } from "../commands/init.ts";
import { chooseHookCommand } from "../hook-command.ts";
import { detectHosts, placesOf, REGISTRABLE, requestFor } from "../host-request.ts";
import { installationOf } from "../installation.ts";
import { type HostPlan, planHostInstall } from "../plan-hosts.ts";
import type { Guide } from "./guide.ts";

const NOTHING: HostPlan = { files: [], troubles: [], notes: [] };

/** The agents of this machine, and Claude Code; those found are chosen. Undefined if the user cancelled. */
export async function chooseAgents(
  guide: Guide,
  terminal: Terminal,
  options: InitOptions,
): Promise<HostPlan | undefined> {
  if (options.hook === false) return NOTHING;
  const found = detectHosts(terminal);
  const inProject = REGISTRABLE.filter(
    (host) =>
      host.registration?.projectFile !== undefined && (found.includes(host) || host.name === "claude-code"),
  );
  const plans = new Map<Host, HostPlan>();
  for (const host of inProject) plans.set(host, await planFor([host], terminal, options));
  const open = inProject.filter((host) => isOpen(plans.get(host) ?? NOTHING));
  const others = inProject.filter((host) => !open.includes(host)).map(({ title }) => title);
  if (others.length > 0) guide.say(`The stop hook is already installed for ${others.join(", ")}.`);
  const chosen = options.hook ? ["claude-code"] : open.length === 0 ? [] : await ask(guide, open, found);
  if (chosen === undefined) return undefined;
  const plan = await planFor(
    open.filter(({ name }) => chosen.includes(name)),
    terminal,
    options,
  );
  for (const trouble of plan.troubles) guide.warn(explain(trouble));
  if (open.length > 0 && chosen.length === 0) guide.say(LATER);
  return plan;
}

const LATER = "No stop hook is installed. `agent-gauntlet install --all-detected` does it later.";

function ask(
  guide: Guide,
  open: readonly Host[],
  found: readonly Host[],
): Promise<readonly string[] | undefined> {
  const choices = open.map((host) => ({
    value: host.name,
    label: host.title,
    hint: found.includes(host) ? "found on this machine" : "not found on this machine",
  }));
  const chosen = open.filter((host) => found.includes(host)).map(({ name }) => name);
  return guide.choose("Which agents may stop only when these checks pass?", choices, chosen);
}

/** Whether there is something to write, or something in the way of it. */
function isOpen({ files, troubles }: HostPlan): boolean {
  return troubles.length > 0 || files.some(({ change }) => change.kind !== "unchanged");
}

async function planFor(hosts: readonly Host[], terminal: Terminal, options: InitOptions): Promise<HostPlan> {
  if (hosts.length === 0) return NOTHING;
  const places = { ...placesOf(terminal), root: absolutePath(terminal.cwd) };
  const command = chooseHookCommand(installationOf(options, terminal));
  const request = await requestFor(places, hosts, { levels: ["project"], command: command.line });
  if (!request.ok) return { ...NOTHING, troubles: [request.trouble] };
  const plan = planHostInstall(request.value);
  return command.note === undefined ? plan : { ...plan, notes: [...plan.notes, command.note] };
}
