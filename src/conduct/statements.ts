import type { Language } from "./languages.ts";
import type { PatchedFile, PatchLine } from "./patched-file.ts";

/** The same file with one line for each test, skip and assertion, however many of them are written on one line. */
export function inStatements(file: PatchedFile, language: Language): PatchedFile {
  const hunks = file.hunks.map((lines) =>
    lines.flatMap((line) => statementsOf(line, language)).map((line, at) => ({ ...line, at })),
  );
  return { ...file, hunks, lines: hunks.flat() };
}

/** More are not written by hand. */
const MOST_PLACES = 40;

function statementsOf(line: PatchLine, language: Language): readonly PatchLine[] {
  const { text } = line;
  if (!PLACE.test(text) || language.comment.test(text)) return [line];
  const isTest = language.test.test(text);
  const cuts = placesIn(text, language)
    .slice(0, MOST_PLACES)
    .filter((at) => begins(text.slice(at), language, isTest));
  if (cuts.length === 0) return [line];
  return [0, ...cuts].map((from, index) => ({ ...line, text: text.slice(from, cuts[index]) }));
}

function begins(
  text: string,
  { test, skip, skipCall, focus, assertion }: Language,
  isTest: boolean,
): boolean {
  const meant = [test, skip, skipCall, focus, isTest ? assertion : undefined];
  return meant.some((pattern) => pattern?.exec(text)?.index === 0);
}

/** Where a statement, a body or an annotation may begin. */
const PLACE = /[;{}:>)\]] *\S|\s[@[#]/;

/** Those outside of quoted text. */
function placesIn(text: string, { quotes }: Language): readonly number[] {
  const places: number[] = [];
  let quote = "";
  let last = -1; // the character before, blanks aside
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote !== "") {
      if (char === "\\") at++;
      else if (char === quote) quote = "";
    } else if (char === " " || char === "\t") continue;
    else if (quotes.includes(char)) quote = char;
    else if (last !== -1 && isPlace(text, last, at)) places.push(at);
    last = at;
  }
  return places;
}

function isPlace(text: string, last: number, at: number): boolean {
  if (";{}:)]".includes(text.charAt(last))) return true;
  if (OPENS.test(text.slice(Math.max(0, last - 2), last + 1))) return true;
  return last < at - 1 && "@[#(".includes(text.charAt(at));
}

const OPENS = /=>$|\bdo$/;
