/** Gives the lines that begin, after blanks, with one of some words, in order. No word may begin another. */
export type FindBeginnings = (...words: readonly string[]) => readonly number[];

/** Looks at every line once, so that forty parsers need not: the lines are kept by their first two characters. */
export function indexBeginnings(lines: readonly string[]): FindBeginnings {
  const indents = new Uint16Array(lines.length);
  const byPair = new Map<number, number[]>();
  lines.forEach((line, index) => {
    const indent = indentOf(line);
    const pair = pairAt(line, indent);
    const alike = byPair.get(pair);
    if (alike === undefined) byPair.set(pair, [index]);
    else alike.push(index);
    indents[index] = indent;
  });
  return (...words) => {
    const [first = [], ...others] = words.map(linesWith);
    return others.length === 0 ? first : first.concat(...others).toSorted(ascending);
  };

  function linesWith(word: string): readonly number[] {
    if (word.length === 1) return linesWithCharacter(word.charCodeAt(0));
    const alike = byPair.get(pairAt(word, 0)) ?? [];
    return alike.filter((index) => lines[index]?.startsWith(word, indents[index]));
  }

  function linesWithCharacter(character: number): readonly number[] {
    const alike = [...byPair].filter(([pair]) => pair >>> 16 === character).map(([, found]) => found);
    return new Array<number>().concat(...alike).toSorted(ascending);
  }
}

function ascending(one: number, other: number): number {
  return one - other;
}

function pairAt(line: string, index: number): number {
  return (line.charCodeAt(index) << 16) | line.charCodeAt(index + 1);
}

function indentOf(line: string): number {
  let indent = 0;
  while (line.charCodeAt(indent) <= SPACE) indent += 1;
  return indent;
}

const SPACE = 32;
