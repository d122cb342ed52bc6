import { cleanProject } from "../../engine/clean-project.ts";
import { EXIT } from "../exit-code.ts";
import { openSettings, tellTrouble } from "../open-settings.ts";
import { printLine, type Terminal } from "../terminal.ts";

/** Starts over: logs are archived; failures, attempts and passes are forgotten. */
export async function cleanCommand(terminal: Terminal): Promise<number> {
  const settings = await openSettings(terminal, { command: "clean" });
  if (typeof settings === "number") return settings;
  const cleaned = await cleanProject(settings);
  if (!cleaned.ok) return tellTrouble(terminal, cleaned.trouble, { command: "clean" });
  printLine(
    terminal.stdout,
    `Archived ${cleaned.value} logs to ${settings.logDir}/previous; failures and attempts are forgotten.`,
  );
  return EXIT.ok;
}
