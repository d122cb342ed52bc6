import { isForeign, type Language, languageOf } from "./languages.ts";
import { normal, type PatchedFile, type PatchLine, Tally } from "./patched-file.ts";

export interface TestSource extends PatchedFile {
  readonly language: Language;
  readonly removed: readonly Declaration[];
  readonly added: readonly Declaration[];
  readonly shrunk: ReadonlySet<number>;
  readonly commented: ReadonlySet<PatchLine>;
  readonly wasCommented: ReadonlySet<PatchLine>;
}

export interface Declaration {
  readonly name: string;
  readonly line: PatchLine;
  /** With an annotation, the name is on a later line. */
  readonly named: PatchLine;
  readonly isAnnotated: boolean;
}

/** What the whole change adds and removes: what moved is not lost. */
export interface Change {
  readonly addedTests: ReadonlySet<string>;
  readonly removedSkips: Tally;
  readonly addedAssertions: ReadonlySet<string>;
  readonly deletedStems: ReadonlySet<string>;
}

export function testSource(file: PatchedFile): TestSource[] {
  const language = languageOf(file.file);
  if (language === undefined || !language.testFile.test(file.file) || isForeign(file.file)) return [];
  const read = inStatements(file, language);
  const [before, after] = [sideOf(read, language, "removed"), sideOf(read, language, "added")];
  return [
    {
      ...read,
      language,
      removed: without(before.tests, after.tests),
      added: without(after.tests, before.tests),
      shrunk: shrunkHunks(before.tests, after.tests),
      commented: after.commented,
      wasCommented: before.commented,
    },
  ];
}

function sideOf({ hunks }: PatchedFile, language: Language, kind: "added" | "removed") {
  const sides = hunks.map((lines) => lines.filter((line) => line.kind === kind || line.kind === "kept"));
  const commented = new Set(sides.flatMap((side) => commentedOut(side, language, kind)));
  const lines = sides.flat().filter((line) => !commented.has(line));
  return { commented, tests: declarations(lines, language, kind) };
}

/** Lines of a comment that came or went with the change; its end may be outside the hunk. */
function commentedOut(
  side: readonly PatchLine[],
  { block }: Language,
  kind: "added" | "removed",
): readonly PatchLine[] {
  if (block === undefined) return [];
  let isInside = false;
  return side.filter((line) => {
    const wasInside = isInside;
    if (isInside) isInside = !block.close.test(line.text);
    else isInside = line.kind === kind && block.open.test(line.text);
    return wasInside;
  });
}

function shrunkHunks(before: readonly Declaration[], after: readonly Declaration[]): ReadonlySet<number> {
  const gone = before.filter(({ line }) => line.kind === "removed").map(({ line }) => line.hunk);
  const come = new Tally(
    after.filter(({ line }) => line.kind === "added").map(({ line }) => String(line.hunk)),
  );
  return new Set(gone.filter((hunk) => !come.take(String(hunk))));
}

function without(tests: readonly Declaration[], others: readonly Declaration[]): readonly Declaration[] {
  const known = new Tally(others.map(({ name }) => name));
  return tests.filter(({ name }) => !known.take(name));
}

/** An annotation's test has its name within so many lines. */
const NAME_WITHIN = 6;

function declarations(
  side: readonly PatchLine[],
  language: Language,
  kind: "added" | "removed",
): readonly Declaration[] {
  const seen = new Set<PatchLine>();
  return side.flatMap((line, at): Declaration[] => {
    const match = language.comment.test(line.text) ? null : language.test.exec(line.text);
    if (match === null) return [];
    const { name = match.groups?.["title"] } = match.groups ?? {};
    if (name !== undefined) return seen.has(line) ? [] : [{ name, line, named: line, isAnnotated: false }];
    const named = nameIn(side.slice(at, at + NAME_WITHIN), language);
    if (named === undefined || seen.has(named.line)) return []; // a test may have two annotations
    seen.add(named.line);
    const changed = line.kind === kind ? line : named.line;
    return [{ name: named.name, line: changed, named: named.line, isAnnotated: true }];
  });
}

function nameIn(
  lines: readonly PatchLine[],
  { nameAfter }: Language,
): { readonly name: string; readonly line: PatchLine } | undefined {
  const end = lines.findIndex(({ text }) => CLASS.test(text));
  return lines.slice(0, end === -1 ? lines.length : end).flatMap((line) => {
    const name = nameAfter?.exec(line.text)?.groups?.["name"];
    return name === undefined ? [] : [{ name, line }];
  })[0];
}

/** An annotation before a class is not about its first method. */
const CLASS = /\b(?:class|interface|object|struct|impl|mod)\s+\w+/;

export function changeOf(sources: readonly TestSource[], files: readonly PatchedFile[]): Change {
  const ofKind = (kind: PatchLine["kind"]) =>
    sources.flatMap(({ lines, language }) =>
      lines.filter((line) => line.kind === kind).map(({ text }) => ({ text, language })),
    );
  const assertions = ofKind("added").filter(
    ({ text, language }) => language.assertion.test(text) && !language.comment.test(text),
  );
  const skips = ofKind("removed").filter(({ text, language }) => isMark(text, language));
  return {
    addedTests: new Set(sources.flatMap(({ added }) => added.map(({ name }) => name))),
    removedSkips: new Tally(skips.map(({ text }) => normal(text))),
    addedAssertions: new Set(assertions.map(({ text }) => normal(text))),
    deletedStems: new Set(
      files.filter(({ file, isDeleted }) => isDeleted && !isTest(file)).map(({ file }) => stemOf(file)),
    ),
  };
}

function isTest(file: string): boolean {
  const language = languageOf(file);
  return language !== undefined && language.extensions[0] !== "rs" && language.testFile.test(file);
}

/** `src/user-store.ts` and `test/user_store.test.ts` are about the same thing. */
export function stemOf(file: string): string {
  const name = file.split("/").at(-1) ?? "";
  return name
    .replace(/\.[^/]*$/, "")
    .toLowerCase()
    .replaceAll(/(?:^|[_-])(?:tests?|specs?)(?=$|[_-])|(?:tests?|specs?)$/g, "")
    .replaceAll(/[_-]/g, "");
}

export function isMark(text: string, { skip, skipCall, focus }: Language): boolean {
  const isSkip = skip.test(text) || skipCall?.test(text) === true || DEAD.test(text);
  return isSkip || focus?.test(text) === true;
}

/** A condition before or around a skip limits it to certain machines. */
export function isAlways(skip: PatchLine, { hunks, language }: TestSource): boolean {
  const isCall = language.skipCall?.test(skip.text) === true;
  if (isCall && CONDITION_AFTER.test(skip.text)) return false;
  const before = (hunks[skip.hunk] ?? [])
    .slice(0, skip.at)
    .filter(({ kind, text }) => kind !== "removed" && text.trim() !== "" && !language.comment.test(text));
  const around = before.findLast(({ text }) => indentOf(text) < indentOf(skip.text));
  const isBelow = (isCall ? CONDITION : BRANCH).test(before.at(-1)?.text ?? "");
  return !isBelow && !BRANCH.test(around?.text ?? "");
}

export function indentOf(text: string): number {
  return text.search(/\S/);
}

const BRANCH =
  /^(?!\s*if\s*\(?\s*(?:true|True|1)\b)\s*[})]*\s*(?:if|elif|else|elsif|unless|except|rescue|catch|switch|case|when|default|select)\b/;
const CONDITION = new RegExp(String.raw`${BRANCH.source}|^\s*(?:for|while|try)\b`);
const CONDITION_AFTER = /\s(?:if|unless)\s/;

/** Code in such a branch never runs. */
const DEAD = /^\s*(?:if\s*\(?\s*(?:false|False|0)\s*\)?\s*[:{]|#if\s+(?:false|0)\b)/;

export function bodyOf({ named }: Declaration, { hunks, language }: TestSource): readonly PatchLine[] {
  const after = (hunks[named.hunk] ?? []).slice(named.at + 1);
  const next = after.findIndex(
    ({ text }) => language.test.test(text) || language.nameAfter?.test(text) === true,
  );
  return next === -1 ? after : after.slice(0, next);
}

/** The same file with one statement per line: tests, skips and assertions may share a line. */
function inStatements(file: PatchedFile, language: Language): PatchedFile {
  const hunks = file.hunks.map((lines) =>
    lines.flatMap((line) => statementsOf(line, language)).map((line, at) => ({ ...line, at })),
  );
  return { ...file, hunks, lines: hunks.flat() };
}

/** Longer lines are not written by hand. */
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

const PLACE = /[;{}:>)\]] *\S|\s[@[#]/;

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
