import { explain } from "../../core/trouble.ts";
import { planHostUninstall } from "../../install/plan-hosts.ts";
import { CONFIG_FILE } from "../../machine/find-project.ts";
import { carryOut, type CarryOutOptions } from "../carry-out.ts";
import { hostsNamed, REGISTRABLE } from "../choose-hosts.ts";
import { EXIT } from "../exit-code.ts";
import { type LevelOptions, levelsOf, requestFor } from "../host-request.ts";
import { printLine, type Terminal } from "../terminal.ts";

export interface UninstallOptions extends CarryOutOptions, LevelOptions {
  /** All of them where none is named. */
  readonly host?: readonly string[];
}

/** Takes our stop hooks out of the hosts' files, and nothing else. */
export async function uninstallCommand(terminal: Terminal, options: UninstallOptions): Promise<number> {
  const { host = [] } = options;
  const hosts = host.length === 0 ? REGISTRABLE : hostsNamed(host);
  if (typeof hosts === "string") return complain(terminal, hosts);
  const request = await requestFor(terminal, hosts, { levels: levelsOf(options), command: "" });
  if (!request.ok) return complain(terminal, explain(request.trouble));
  const plan = planHostUninstall(request.value);
  const files = plan.files.filter(({ change }) => change.kind !== "unchanged");
  if (files.length === 0 && plan.troubles.length === 0) {
    printLine(terminal.stdout, "No stop hook of agent-gauntlet is registered here.");
    return EXIT.ok;
  }
  return carryOut(terminal, { ...plan, files }, { ...options, done: REMOVED });
}

const REMOVED = `Stop hook removed; ${CONFIG_FILE} was left as it is, so \`agent-gauntlet run\` still works`;

function complain(terminal: Terminal, message: string): number {
  printLine(terminal.stderr, message);
  return EXIT.notOk;
}
