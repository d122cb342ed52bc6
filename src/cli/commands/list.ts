import type { EntryPoint, GuardSettings } from "../../core/settings.ts";
import { listJson } from "../../report/json/json.ts";
import { EXIT } from "../exit-code.ts";
import { openSettings } from "../open-settings.ts";
import { printLine, type Terminal } from "../output/terminal.ts";

export interface ListOptions {
  readonly json?: boolean;
  readonly names?: boolean;
}

/** Shows what the configuration says, without looking at any change. */
export async function listCommand(terminal: Terminal, { json, names }: ListOptions): Promise<number> {
  const settings = await openSettings(terminal, { command: "list", json });
  if (typeof settings === "number") return settings;
  if (json) printLine(terminal.stdout, listJson(settings));
  else if (names) printNames(terminal, settings.entryPoints);
  else {
    for (const entryPoint of settings.entryPoints) printEntryPoint(terminal, entryPoint);
    printGuards(terminal, settings.guards ?? {});
  }
  return EXIT.ok;
}

/** They look at the whole change, so they belong to no entry point. */
function printGuards({ stdout, colours }: Terminal, guards: GuardSettings): void {
  const modes = Object.entries(guards);
  if (modes.length > 0) printLine(stdout, colours.bold("every change"));
  for (const [name, mode] of modes) printLine(stdout, `  guard ${name}${colours.dim(`  ${mode}`)}`);
}

function printNames({ stdout }: Terminal, entryPoints: readonly EntryPoint[]): void {
  const gates = entryPoints.flatMap((entryPoint) => entryPoint.gates);
  for (const name of new Set(gates.map((gate) => gate.name))) printLine(stdout, name);
}

function printEntryPoint({ stdout, colours }: Terminal, { path, exclude, gates }: EntryPoint): void {
  const without = exclude.length === 0 ? "" : colours.dim(` without ${exclude.join(", ")}`);
  printLine(stdout, `${colours.bold(path)}${without}`);
  for (const gate of gates) {
    const what = gate.kind === "check" ? gate.command.split("\n")[0] : `by ${gate.cliPreference.join(", ")}`;
    printLine(
      stdout,
      `  ${gate.kind} ${gate.name}${colours.dim(`  ${what}`)}${gate.warnOnly ? "  (warns only)" : ""}`,
    );
  }
}
