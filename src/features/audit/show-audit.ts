import { printLine, type Terminal } from "../../report/terminal.ts";
import type { AuditedHook } from "./audit-hooks.ts";
import { type FoundHook, nameOf } from "./found-hook.ts";
import { type HookVerdict, holds } from "./verdicts.ts";

const MOST_LINES = 60;

/** A hook and the scripts it runs, for who decides whether they may run. */
export function showHook({ stdout, colours }: Terminal, hook: FoundHook): void {
  const { file, events, command, args = [], scripts } = hook;
  const place = scripts.some(({ path }) => path === file) ? "" : ` in ${file}`;
  printLine(stdout, colours.bold(`${events.join(", ")}${place}: ${[command, ...args].join(" ")}`));
  for (const { path, text } of scripts) {
    const lines = text.trimEnd().split("\n");
    printLine(stdout, colours.dim(`  ${path} (${lines.length} ${lines.length === 1 ? "line" : "lines"})`));
    for (const line of lines.slice(0, MOST_LINES)) stdout.write(`    ${shown(line)}\n`);
    if (lines.length > MOST_LINES) printLine(stdout, `    … ${lines.length - MOST_LINES} more: ${path}`);
  }
  printLine(stdout);
}

/** A script must not be able to move the cursor or hide a line of itself. */
function shown(line: string): string {
  return line
    .replaceAll("\t", "    ")
    .replaceAll(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g, "�");
}

export function showVerdicts({ stdout, colours }: Terminal, { hook, verdicts }: AuditedHook): void {
  const isHolding = holds(verdicts);
  const mark = isHolding ? colours.green("✓") : colours.red("✗");
  const names = verdicts.map(({ name, detail }) => (name === "breaks" ? `breaks ${place(detail)}` : name));
  printLine(stdout, `${mark} ${colours.bold(nameOf(hook))}: ${[...new Set(names)].join(" · ")}`);
  for (const verdict of verdicts) for (const text of explained(verdict)) printLine(stdout, `    ${text}`);
}

/** `on a missing tool: it exits with 127` without the reason. */
function place(detail = ""): string {
  return detail.split(":")[0] ?? detail;
}

function explained({ name, detail, line }: HookVerdict): readonly string[] {
  if (name === "holds" && detail === undefined) return [];
  const why = detail === undefined ? name : `${name === "breaks" ? "breaks " : `${name}: `}${detail}`;
  const where = line === undefined ? [] : [`  ${line.file}:${line.line}  ${shown(line.text).slice(0, 100)}`];
  return [why, ...where];
}
