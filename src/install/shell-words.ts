/**
 * What a hook's command line hands to `program`, whether it is called by name, by path, through a package runner or through node.
 * Undefined when the line does something else, or more than that.
 */
export function argumentsAfter(commandLine: string, program: string): readonly string[] | undefined {
  const words = shellWords(commandLine);
  const start = words?.findIndex((word) => !isPreamble(word)) ?? -1;
  const called = words?.[start];
  if (words === undefined || called === undefined || !isProgram(called, program)) return undefined;
  return words.slice(start + 1);
}

const RUNNERS = new Set([
  "npx",
  "pnpx",
  "bunx",
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "node",
  "sh",
  "deno",
  "exec",
  "dlx",
  "x",
  "run",
]);

/** What may stand before the program: assignments, package runners, node, and their flags. */
function isPreamble(word: string): boolean {
  return (
    /^\w+=/.test(word) || word.startsWith("-") || RUNNERS.has(baseName(word).replace(/\.(?:exe|cmd)$/i, ""))
  );
}

function isProgram(word: string, program: string): boolean {
  const name = baseName(word).replace(/\.(?:cjs|mjs|js|sh|cmd|ps1|exe)$/i, "");
  return name === program || name.startsWith(`${program}@`);
}

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

/** The words of one simple command up to its first redirection; undefined when the line has more than one command. */
function shellWords(commandLine: string): readonly string[] | undefined {
  const words: string[] = [];
  for (const [piece, operator, redirection] of commandLine.trim().matchAll(PIECE)) {
    if (operator !== undefined) return undefined;
    if (redirection !== undefined) break;
    if (piece.trim() !== "") words.push(unquote(piece));
  }
  return words;
}

/** White space, an operator between commands, a redirection, or a word. */
const PIECE = /[ \t]+|([;&|()`\r\n])|(\d*[<>])|(?:'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|[^\s;&|()`<>'"\\])+|[^]/g;

function unquote(word: string): string {
  return word.replaceAll(/'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]/g, (quoted) => {
    if (quoted.startsWith("\\")) return quoted.slice(1);
    const inner = quoted.slice(1, -1);
    return quoted.startsWith("'") ? inner : inner.replaceAll(/\\(["\\$`])/g, "$1");
  });
}
