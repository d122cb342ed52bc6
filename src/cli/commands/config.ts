import { effectiveSettings, type EffectiveValue } from "../../config/gauntlet/effective.ts";
import { findProject } from "../../machine/files/find-project.ts";
import { line } from "../../report/json/line.ts";
import { EXIT } from "../exit-code.ts";
import { tellTrouble } from "../open-settings.ts";
import { printLine, type Terminal } from "../output/terminal.ts";

export interface ConfigOptions {
  readonly json?: boolean;
}

/** Shows every setting as it holds, and where it comes from. */
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
