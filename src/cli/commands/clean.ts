import { cleanProject } from "../../run/clean.ts";
import { forgetProject } from "./forget-project.ts";
import { cleanJson } from "../../report/json/json.ts";
import { counted } from "../../words.ts";
import { EXIT } from "../../report/exit-code.ts";
import { openSettings, tellTrouble } from "../../report/open-settings.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import { whyNoUser } from "../../report/user-at-terminal.ts";

export interface CleanOptions {
  readonly json?: boolean;
  readonly all?: boolean;
}

export async function cleanCommand(terminal: Terminal, { json, all }: CleanOptions): Promise<number> {
  const settings = await openSettings(terminal, { command: "clean", json });
  if (typeof settings === "number") return settings;
  const cleaned = await cleanProject(settings, terminal.env, whyNoUser(terminal) === undefined);
  if (!cleaned.ok) return tellTrouble(terminal, cleaned.trouble, { command: "clean", json });
  const forgotten = all ? forgetProject(settings.root, terminal.env) : undefined;
  if (forgotten?.ok === false) return tellTrouble(terminal, forgotten.trouble, { command: "clean", json });
  const previous = `${settings.logDir}/previous`;
  const words = `Archived ${counted(cleaned.value, "log")} to ${previous}; failures and attempts are forgotten${all ? "; the ledger and all else that was kept about the project is removed" : ""}.`;
  printLine(terminal.stdout, json ? cleanJson(cleaned.value, previous) : words);
  return EXIT.ok;
}
