import { loadSettings } from "../config/gauntlet/load.ts";
import { formatDiagnostic, explain, type Trouble } from "../trouble.ts";
import type { Settings } from "../config/settings.ts";
import { type Status, troubleStatus } from "../stop/status.ts";
import { findProject } from "../system/files/find-project.ts";
import { errorJson } from "./json/json.ts";
import { EXIT } from "./exit-code.ts";
import { printLine, type Terminal } from "./terminal.ts";

/** The project's settings, or the exit code after reporting what is wrong. */
export async function openSettings(
  terminal: Terminal,
  { command, json }: { command: string; json?: boolean | undefined },
): Promise<Settings | number> {
  const root = findProject(terminal.cwd);
  const loaded = root === undefined ? undefined : await loadSettings(root, terminal.env);
  if (loaded?.ok) {
    for (const warning of loaded.value.warnings) printLine(terminal.stderr, formatDiagnostic(warning));
    return loaded.value.settings;
  }
  return tellTrouble(terminal, loaded?.trouble ?? { kind: "no-config", searchedFrom: terminal.cwd }, {
    command,
    json,
  });
}

export function tellTrouble(
  terminal: Terminal,
  trouble: Trouble,
  { command, json }: { command: string; json?: boolean | undefined },
): number {
  return refuse(terminal, explain(trouble), { command, json, status: troubleStatus(trouble) });
}

interface Refused {
  readonly command: string;
  readonly json?: boolean | undefined;
  readonly status?: Status;
}

/** Says what is wrong, for people and, if asked, for machines. */
export function refuse(
  { stdout, stderr }: Terminal,
  message: string,
  { command, json, status = "error" }: Refused,
): number {
  if (json) printLine(stdout, errorJson(command, status, message));
  printLine(stderr, message);
  return EXIT.notOk;
}
