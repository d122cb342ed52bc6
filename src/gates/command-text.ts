import { shellCommand } from "../machine/process/executables.ts";
import type { CheckGate } from "../core/gate.ts";

/** What a check runs, one argv after another: several only when the names of the files are too long for one. */
export function commandsOf(
  gate: CheckGate,
  files: () => readonly string[],
): readonly (readonly [string, ...string[]])[] {
  if (!gate.command.includes(PLACEHOLDER)) return [commandOf(gate, gate.command, [])];
  const names = files().map(notAnOption);
  const isCmd = gate.shell === undefined && process.platform === "win32";
  if (isCmd) {
    return batches(names.map(quoteForCmd), MAX_CMD_BYTES).map((batch) =>
      commandOf(
        gate,
        gate.command.replaceAll(PLACEHOLDER, () => batch.join(" ")),
        [],
      ),
    );
  }
  const command = gate.command.replaceAll(PLACEHOLDER, () => '"$@"');
  return batches(names, MAX_BYTES).map((batch) => commandOf(gate, command, batch));
}

const PLACEHOLDER = "{files}";
/** Far below what Linux, macOS and the BSDs take for arguments and environment together. */
const MAX_BYTES = 128 * 1024;
/** `cmd` takes 8,191 characters for the whole line. */
const MAX_CMD_BYTES = 6_000;

/** The names are arguments of the shell and never part of its text, so no name is ever read as code. */
function commandOf(
  { shell }: CheckGate,
  command: string,
  names: readonly string[],
): readonly [string, ...string[]] {
  const args = names.length === 0 ? [] : ["gate", ...names];
  return shell === undefined ? shellCommand(command, ...args) : [shell, "-c", command, ...args];
}

/** A name that begins with a dash would be read as an option. */
function notAnOption(name: string): string {
  return name.startsWith("-") ? `./${name}` : name;
}

/** No file name on Windows has a quotation mark; a percent sign outside quotation marks is not expanded twice. */
function quoteForCmd(name: string): string {
  return `"${name.replaceAll("%", '"^%"')}"`;
}

function batches(names: readonly string[], maxBytes: number): readonly (readonly string[])[] {
  const all: string[][] = [[]];
  let bytes = 0;
  for (const name of names) {
    bytes += Buffer.byteLength(name) + 1;
    if (bytes > maxBytes && all.at(-1)?.length !== 0) {
      all.push([]);
      bytes = Buffer.byteLength(name) + 1;
    }
    all.at(-1)?.push(name);
  }
  return all;
}

/** Words that a shell runs itself, so no program of that name is needed. */
const BUILT_IN = new Set(
  ". : [ alias bg break cd command continue echo eval exec exit export false fg getopts hash jobs kill let local printf pwd read readonly return set shift source test times trap true type ulimit umask unalias unset wait if then else elif fi for while until do done case esac in { } ! function time".split(
    " ",
  ),
);

/** The programs a shell command names by a bare word: the first word of each simple command, assignments left out. */
export function programsIn(command: string): readonly string[] {
  const simple = command
    .replaceAll(QUOTED, (text) => "q".repeat(text.length))
    .split(/\|\||&&|[;|&\n()`]|\$\(/);
  const words = simple.flatMap((part) => part.trim().split(/\s+/).find(isNoPreamble) ?? []);
  return [...new Set(words)].filter((word) => /^[\w.+-]+$/.test(word) && !BUILT_IN.has(word));
}

const QUOTED = /'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]/g;

function isNoPreamble(word: string): boolean {
  return (
    word !== "" &&
    !/^\w+=/.test(word) &&
    !["!", "{", "exec", "command", "time", "then", "do", "else", "if"].includes(word)
  );
}
