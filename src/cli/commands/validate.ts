import { join } from "node:path";
import { type LoadedSettings, loadSettings } from "../../config/gauntlet/load.ts";
import { GATES_NOTHING } from "../../config/gauntlet/read-entry-points.ts";
import { type Diagnostic, formatDiagnostic, type Result } from "../../core/trouble.ts";
import { diagnoseBase } from "../../engine/run/diagnose-base.ts";
import { diagnoseLogDir } from "../../engine/run/fit-log-dir.ts";
import { findProject } from "../../machine/files/find-project.ts";
import { whyNotEnterable } from "../../machine/files/files.ts";
import { validateJson } from "../../report/json/json.ts";
import { EXIT } from "../exit-code.ts";
import { tellTrouble } from "../open-settings.ts";
import { printLine, type Terminal } from "../output/terminal.ts";

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
    const found = judged(loaded.value, root);
    const logDir = await diagnoseLogDir(loaded.value.settings, env);
    return { ok: true, value: [...found, ...(await diagnoseBase(loaded.value)), ...logDir] };
  }
  return loaded.trouble.kind === "config-invalid" ? { ok: true, value: loaded.trouble.diagnostics } : loaded;
}

/** What loads, but cannot work: a run only warns about it. */
function judged(loaded: LoadedSettings, root: string): readonly Diagnostic[] {
  const { warnings, expected } = loaded;
  const unusable = expected.flatMap(({ path, complain }) => {
    const obstacle = whyNotEnterable(join(root, path));
    return obstacle === undefined ? [] : [complain(obstacle)];
  });
  return [
    ...warnings.map((one) => (one.message === GATES_NOTHING ? { ...one, severity: "error" as const } : one)),
    ...unusable,
    ...hastyStop(loaded),
  ];
}

/** A stop that ends before any gate has to. */
function hastyStop({ settings, complainOf }: LoadedSettings): readonly Diagnostic[] {
  const gates = settings.entryPoints.flatMap((entryPoint) => entryPoint.gates);
  const shortest = Math.min(...gates.map(({ timeoutMs }) => timeoutMs));
  const { timeoutMs } = settings.stopHook;
  if (timeoutMs >= shortest) return [];
  const message = `\`stop_hook.timeout\` (${timeoutMs / 1000} s) is shorter than the time limit of every gate (${shortest / 1000} s or more): gates that take longer are cut off`;
  const hint = "raise it, or lower the `timeout` of the gates";
  return complainOf(["stop_hook", "timeout"], { severity: "warning", message, hint });
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
