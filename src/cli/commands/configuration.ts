import { join } from "node:path";
import { type LoadedSettings, loadSettings } from "../../config/gauntlet/load.ts";
import { isErrorOfValidate } from "../../config/gauntlet/read-entry-points.ts";
import { type Diagnostic, formatDiagnostic, type Result } from "../../trouble.ts";
import { diagnoseBase } from "../../config/diagnose-base.ts";
import { diagnoseLogDir } from "../../run/check-log-dir.ts";
import { findProject } from "../../system/files/find-project.ts";
import { whyNotEnterable } from "../../system/files/files.ts";
import { validateJson, listJson, line } from "../../report/json/json.ts";
import { EXIT } from "../../report/exit-code.ts";
import { tellTrouble, openSettings } from "../../report/open-settings.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import type { EntryPoint, GuardSettings } from "../../config/settings.ts";
import { effectiveSettings, type EffectiveValue } from "../../config/gauntlet/effective.ts";

export interface ValidateOptions {
  readonly json?: boolean;
}

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
  if (loaded.trouble.kind !== "config-invalid") return loaded;
  return { ok: true, value: loaded.trouble.diagnostics.map(asJudged) };
}

/** What loads, but cannot work: a run only warns about it. */
function judged(loaded: LoadedSettings, root: string): readonly Diagnostic[] {
  const { warnings, expected } = loaded;
  const unusable = expected.flatMap(({ path, complain }) => {
    const obstacle = whyNotEnterable(join(root, path));
    return obstacle === undefined ? [] : [complain(obstacle)];
  });
  return [...warnings.map(asJudged), ...unusable, ...hastyStop(loaded)];
}

function asJudged(diagnostic: Diagnostic): Diagnostic {
  return isErrorOfValidate(diagnostic) ? { ...diagnostic, severity: "error" } : diagnostic;
}

function hastyStop({ settings, complainOf }: LoadedSettings): readonly Diagnostic[] {
  const gates = settings.entryPoints.flatMap((entryPoint) => entryPoint.gates);
  const shortest = Math.min(...gates.map(({ timeoutMs }) => timeoutMs));
  const { timeoutMs } = settings.stopHook;
  if (gates.length === 0 || timeoutMs >= shortest) return [];
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

export interface ListOptions {
  readonly json?: boolean;
  readonly names?: boolean;
}

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

export interface ConfigOptions {
  readonly json?: boolean;
}

export async function configCommand(terminal: Terminal, { json }: ConfigOptions): Promise<number> {
  const root = findProject(terminal.cwd);
  const trouble = { kind: "no-config", searchedFrom: terminal.cwd } as const;
  const read =
    root === undefined ? { ok: false as const, trouble } : await effectiveSettings(root, terminal.env);
  if (!read.ok) return tellTrouble(terminal, read.trouble, { command: "config", json });
  if (json) printLine(terminal.stdout, line("config", { settings: read.value }));
  else printSettings(terminal, read.value);
  return EXIT.ok;
}

function printSettings({ stdout, colours }: Terminal, settings: readonly EffectiveValue[]): void {
  const shown = settings.map(({ key, value, source }) => ({ text: `${key}: ${inShort(value)}`, source }));
  const width = Math.min(60, Math.max(0, ...shown.map(({ text }) => text.length)));
  for (const { text, source } of shown) printLine(stdout, `${text.padEnd(width)}  ${colours.dim(source)}`);
}

const MAX_CHARS = 100;

function inShort(value: unknown): string {
  const text = typeof value === "string" ? (value.split("\n", 1)[0] ?? "") : JSON.stringify(value);
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1)}…` : text;
}
