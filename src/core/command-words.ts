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
