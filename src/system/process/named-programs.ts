import { SHELLS, simpleCommands } from "./shell-text.ts";

/**
 * The programs that a shell line names: `CI=1 timeout 60 ./run && pytest` names timeout, ./run and pytest. What these start in
 * turn does not show.
 */
export function programsNamedIn(line: string): readonly string[] {
  return [...new Set(simpleCommands(line).flatMap(startedBy))];
}

function startedBy(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !KEYWORDS.has(word) && !/^\w+=/.test(word));
  const program = words[start];
  if (program === undefined || !PROGRAM.test(program)) return [];
  const args = words.slice(start + 1);
  const own = BUILT_IN.has(program) ? [] : [program];
  if (STARTS_ANOTHER.has(program)) return [...own, ...startedBy(args.filter(isNoOption))];
  return SHELLS.has(program) ? [...own, ...programsNamedIn(lineFor(args))] : own;
}

const PROGRAM = /^[\w.+/@-]*[a-z][\w.+/@-]*$/i;

function isNoOption(word: string): boolean {
  return !word.startsWith("-") && !/^\d+[smh]?$/.test(word);
}

function lineFor(args: readonly string[]): string {
  const option = args.findIndex((arg) => /^-\w*c$/.test(arg));
  return option === -1 ? "" : (args[option + 1] ?? "");
}

const KEYWORDS = new Set("! { if then elif else while until do time".split(" "));

const STARTS_ANOTHER = new Set("exec command env nice nohup setsid stdbuf sudo timeout xvfb-run".split(" "));

const BUILT_IN = new Set(
  ". : alias bg break case cd command continue done echo esac eval exec exit export false fg fi for function getopts hash in jobs kill let local printf pwd read readonly return set shift source test times trap true type ulimit umask unalias unset wait".split(
    " ",
  ),
);
