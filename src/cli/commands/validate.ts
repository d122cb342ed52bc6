import { loadSettings } from "../../config/gauntlet/load.ts";
import { type Diagnostic, formatDiagnostic } from "../../core/diagnostic.ts";
import type { Result } from "../../core/trouble.ts";
import { diagnoseLogDir } from "../../engine/fit-log-dir.ts";
import { findProject } from "../../machine/files/find-project.ts";
import { validateJson } from "../../report/json.ts";
import { EXIT } from "../exit-code.ts";
import { tellTrouble } from "../open-settings.ts";
import { printLine, type Terminal } from "../terminal.ts";

export interface ValidateOptions {
  readonly json?: boolean;
}

/** Checks every configuration file and reports every problem at once. */
export async function validateCommand(terminal: Terminal, options: ValidateOptions): Promise<number> {
  const diagnosed = await diagnose(terminal);
  if (!diagnosed.ok)
    return tellTrouble(terminal, diagnosed.trouble, { command: "validate", json: options.json });
  const diagnostics = diagnosed.value;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (options.json) printLine(terminal.stdout, validateJson(diagnostics));
  else printDiagnostics(terminal, diagnostics, errors.length);
  return errors.length === 0 ? EXIT.ok : EXIT.notOk;
}

async function diagnose({ cwd, env }: Terminal): Promise<Result<readonly Diagnostic[]>> {
  const root = findProject(cwd);
  if (root === undefined) return { ok: false, trouble: { kind: "no-config", searchedFrom: cwd } };
  const loaded = await loadSettings(root, env);
  if (loaded.ok) {
    const { settings, warnings } = loaded.value;
    return { ok: true, value: [...warnings, ...(await diagnoseLogDir(settings, env))] };
  }
  return loaded.trouble.kind === "config-invalid" ? { ok: true, value: loaded.trouble.diagnostics } : loaded;
}

function printDiagnostics(
  { stdout, stderr }: Terminal,
  diagnostics: readonly Diagnostic[],
  errors: number,
): void {
  if (errors > 0) printLine(stderr, "Validation failed:");
  for (const diagnostic of diagnostics) printLine(stderr, formatDiagnostic(diagnostic));
  if (errors === 0) printLine(stdout, "All config files are valid.");
}
