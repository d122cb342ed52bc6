/** A simple command: its variables and its unquoted words, without programs that only run another. */
export interface ShellCommand {
  readonly variables: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

export function commandsIn(line: string): readonly ShellCommand[] {
  return simpleCommands(line).map(withoutPreamble);
}

export function simpleCommands(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [piece, operator, space] of line.matchAll(PIECE)) {
    if (operator !== undefined) commands.push([]);
    else if (space === undefined) commands.at(-1)?.push(unquoted(piece));
  }
  return commands.filter((words) => words.length > 0);
}

export const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh"]);

/**
 * The statements of a shell text, each as the parts that `&&` joins. What follows `then` runs only if the condition passed, so
 * it is a part, too.
 */
export function statementsIn(text: string): readonly (readonly string[])[] {
  const statements: string[][] = [[""]];
  for (const [piece, operator = ""] of text.matchAll(PIECE)) {
    const parts = statements.at(-1) ?? [];
    if (operator.startsWith("#")) continue;
    if (operator.includes("&&")) parts.push("");
    else if (ENDS_STATEMENT.test(operator)) statements.push([""]);
    else parts.push(`${parts.pop() ?? ""}${piece}`);
  }
  const found = statements.map((parts) => parts.map((part) => part.trim()).filter(Boolean));
  return joinedAtThen(found.filter((parts) => parts.length > 0));
}

/** A pipe or `||` may stand at the end of a line. */
const ENDS_STATEMENT = /^[^|]*[;\n&]/;

function joinedAtThen(statements: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const joined: (readonly string[])[] = [];
  for (const parts of statements) {
    const isThen = /^then(?:\s|$)/.test(parts[0] ?? "");
    joined.push(isThen ? [...(joined.pop() ?? []), ...parts] : parts);
  }
  return joined;
}

/** Operators with comments; blanks; words, with `2>&1` and `&>`. */
const PIECE =
  /(#[^\n]*|(?:(?!&>)[;&|()`\n])+)|([ \t\r]+)|(?:'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|[<>]&|&>|[^\s;&|()`'"\\])+|[^]/g;

function unquoted(word: string): string {
  return word.replaceAll(/'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]/g, (quoted) => {
    if (quoted.startsWith("\\")) return quoted.slice(1);
    return quoted.slice(1, -1).replaceAll(/\\(["\\$`])/g, quoted.startsWith("'") ? "$&" : "$1");
  });
}

const WRAPPERS = new Set(
  "! { if then else do while until time exec command env cross-env nice timeout xvfb-run sudo npx bunx pnpx dotenv c8 nyc".split(
    " ",
  ),
);

const WRAPPER_PAIRS = /^(?:bundle exec|(?:poetry|uv|pdm|pipenv|rye|hatch) run)$/;

function withoutPreamble(words: readonly string[]): ShellCommand {
  const start = words.findIndex((word, at) => {
    const isOption = at > 0 && (word.startsWith("-") || /^\d+[smh]?$/.test(word));
    const isPaired = [at - 1, at].some((from) => WRAPPER_PAIRS.test(`${words[from]} ${words[from + 1]}`));
    return !WRAPPERS.has(word) && !isPaired && !ASSIGNMENT.test(word) && !isOption;
  });
  const preamble = start === -1 ? words : words.slice(0, start);
  const assigned = preamble.map((word) => ASSIGNMENT.exec(word)).filter((found) => found !== null);
  return {
    variables: Object.fromEntries(assigned.map(([, name = "", value = ""]) => [name, value])),
    words: start === -1 ? [] : words.slice(start),
  };
}

const ASSIGNMENT = /^(\w+)=([^]*)$/;
