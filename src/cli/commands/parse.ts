import { text as readText } from "node:stream/consumers";
import { didYouMean } from "../../words.ts";
import type { CheckGate } from "../../gates/gate.ts";
import type { Settings } from "../../config/settings.ts";
import { problemLine } from "../../feedback/problem.ts";
import { readGate } from "../../feedback/digest.ts";
import { secretMasker } from "../../system/logs/mask-secrets.ts";
import { PARSER_NAMES } from "../../feedback/parsers/table.ts";
import { EXIT } from "../../report/exit-code.ts";
import { openSettings } from "../../report/open-settings.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";

export interface ParseOptions {
  readonly parser: string;
}

/** Reads a log as a failing check's would be read: what was understood, then what the agent would get. */
export async function parseCommand(terminal: Terminal, { parser: name }: ParseOptions): Promise<number> {
  const known = PARSER_NAMES.includes(name) || name === "auto" ? undefined : await openCheck(terminal, name);
  if (typeof known === "number") return known;
  const parser = known?.check.parser ?? (PARSER_NAMES.includes(name) ? name : undefined);
  const gate = readGate({
    id: "parse",
    name,
    text: secretMasker(terminal.env)(await readText(terminal.stdin)),
    logPath: "(stdin)",
    projectRoot: known?.settings.root ?? terminal.cwd,
    parser,
  });
  const { stdout, colours } = terminal;
  printLine(stdout, colours.bold(`Read: ${gate.problems.length}`));
  for (const problem of gate.problems) printLine(stdout, `  ${problemLine(problem, LONGEST_MESSAGE)}`);
  printLine(stdout);
  printLine(stdout, colours.bold("What the agent would get:"));
  printLine(stdout, gate.draft()(known?.settings.stopHook.maxReasonChars ?? DEFAULT_CHARS));
  return gate.problems.length > 0 ? EXIT.ok : EXIT.notOk;
}

const LONGEST_MESSAGE = 240;
const DEFAULT_CHARS = 9000;

async function openCheck(
  terminal: Terminal,
  name: string,
): Promise<{ readonly settings: Settings; readonly check: CheckGate } | number> {
  const settings = await openSettings(terminal, { command: "parse" });
  if (typeof settings === "number") return settings;
  const checks = settings.entryPoints.flatMap(({ gates }) => gates).filter((gate) => gate.kind === "check");
  const check = checks.find((one) => one.name === name);
  if (check !== undefined) return { settings, check };
  const guess = didYouMean(name, [...checks.map((one) => one.name), ...PARSER_NAMES, "auto"]);
  printLine(
    terminal.stderr,
    `There is no parser and no check called '${name}'${guess === undefined ? "." : `; ${guess}`}`,
  );
  return EXIT.notOk;
}
