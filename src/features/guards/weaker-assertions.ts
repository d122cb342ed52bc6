import type { Language } from "./languages.ts";
import { normal, type PatchLine } from "./patched-file.ts";
import { indentOf, isAlways, type TestSource } from "./test-source.ts";

export interface WeakerTest {
  readonly line: PatchLine;
  readonly issue: string;
}

/** Assertions that stay, or seem to, and can no longer fail as they did. */
export function weakerTests(source: TestSource): readonly WeakerTest[] {
  return source.hunks.flatMap((lines) => [
    ...lessSaid(lines, source.language),
    ...negated(lines, source.language),
    ...leftEarly(lines, source),
    ...swallowed(lines, source.language),
  ]);
}

/** Was about a value, and now only says that there is one. */
function lessSaid(lines: readonly PatchLine[], language: Language): readonly WeakerTest[] {
  const { aboutValue, aboutPresence, comment } = language;
  if (aboutValue === undefined || aboutPresence === undefined) return [];
  const code = lines.filter(({ text }) => !comment.test(text));
  const [was, is] = [code.filter(isRemoved), code.filter(isAdded)];
  const stillSaid = new Set(is.flatMap(({ text }) => subjectIn(text, aboutValue) ?? []));
  return is.flatMap((line): readonly WeakerTest[] => {
    const subject = subjectIn(line.text, aboutPresence);
    if (subject === undefined || stillSaid.has(subject)) return [];
    const before = was.find(({ text }) => subjectIn(text, aboutValue) === subject);
    if (before === undefined) return [];
    return [{ line, issue: `assertion says less: ${quoted(before.text)} is now ${quoted(line.text)}` }];
  });
}

/** Was equal to a value, and now only differs from it. */
function negated(lines: readonly PatchLine[], { assertion, comment }: Language): readonly WeakerTest[] {
  const was = lines.filter(isRemoved).filter(({ text }) => !NEGATED.test(text));
  return lines.filter(isAdded).flatMap((line): readonly WeakerTest[] => {
    const { text } = line;
    if (!NEGATED.test(text) || comment.test(text) || !assertion.test(text)) return [];
    const before = was.find((one) => affirmed(one.text) === affirmed(text));
    if (before === undefined) return [];
    return [{ line, issue: `assertion says less: ${quoted(before.text)} is now ${quoted(text)}` }];
  });
}

const NEGATED =
  /\.not\.to(?:Be|Equal|StrictEqual)\(|\bassert\.not\w*Equal\(|\bassert(?:Not)Equals?\(|\bassert_ne!|^\s*assert\b.*\s!=\s|\.NotEqual\(/;

function affirmed(text: string): string {
  const plain = text.replaceAll(/\bnot\.|(?<=\.|assert)[nN]ot(?=[A-Z])/g, "").replaceAll("!=", "==");
  return normal(plain).replace("assert_ne!", "assert_eq!").toLowerCase();
}

function subjectIn(text: string, pattern: RegExp): string | undefined {
  const { subject, actual, instance } = pattern.exec(text)?.groups ?? {};
  const found = subject ?? actual ?? instance;
  return found === undefined ? undefined : normal(found);
}

/** An added `return` before assertions that were there, or the end of the whole process. */
function leftEarly(lines: readonly PatchLine[], source: TestSource): readonly WeakerTest[] {
  const { language } = source;
  return lines.flatMap((line, at): readonly WeakerTest[] => {
    if (line.kind === "added" && OVERWRITES.test(line.text))
      return [{ line, issue: `overwrites results of tests: ${quoted(line.text)}` }];
    if (line.kind === "added" && EXIT.test(line.text))
      return [{ line, issue: `ends the test run as passed: ${quoted(line.text)}` }];
    if (line.kind !== "added" || !RETURN.test(line.text) || !isAlways(line, source)) return [];
    const rest = lines.slice(at + 1);
    const end = rest.findIndex(
      ({ text }) => language.test.test(text) || indentOf(text) < indentOf(line.text),
    );
    const skipped = rest.slice(0, end === -1 ? rest.length : end);
    const asserts = skipped.some(({ kind, text }) => kind === "kept" && language.assertion.test(text));
    return asserts ? [{ line, issue: "test returns before its assertions" }] : [];
  });
}

/** In hooks of pytest. */
const OVERWRITES =
  /\.outcome\s*=\s*["']passed|\.force_result\(|\bexitstatus\s*=\s*0\b|^\s*items(?:\[:\]\s*=\s*\[\]|\.clear\(\))|^\s*collect_ignore(?:_glob)?\s*(?:\+?=|\.)/;
const EXIT =
  /^\s*(?:process\.exit\(\s*0?\s*\)|os\._exit\(\s*0\s*\)|os\.Exit\(\s*0\s*\)|System\.exit\(\s*0\s*\)|(?:std::)?process::exit\(\s*0\s*\))/;
const RETURN = /^\s*return\s*(?:;|None\s*$|undefined\s*;?\s*$|$)/;

/** A `try` that was put around assertions and does nothing with their failure. */
function swallowed(lines: readonly PatchLine[], language: Language): readonly WeakerTest[] {
  const after = lines.filter(({ kind }) => kind !== "removed");
  const were = new Set(lines.filter(isRemoved).map(({ text }) => normal(text)));
  const isOld = ({ kind, text }: PatchLine): boolean =>
    language.assertion.test(text) && !NOT_CHECKED.test(text) && (kind === "kept" || were.has(normal(text)));
  return after.flatMap((line, at): readonly WeakerTest[] => {
    if (line.kind !== "added") return [];
    const found = { line, issue: `failures are swallowed: ${quoted(line.text)}` };
    if (TRY_ON_A_LINE.test(line.text) && language.assertion.test(line.text)) return [found];
    if (!TRY.test(line.text)) return [];
    const rest = after.slice(at + 1);
    const end = rest.findIndex(({ text }) => text.trim() !== "" && indentOf(text) <= indentOf(line.text));
    const inside = rest.slice(0, end === -1 ? rest.length : end);
    const [handler = line, ...then] =
      end === -1 ? [] : rest.slice(end).filter(({ text }) => text.trim() !== "");
    const isQuiet = SUPPRESS.test(line.text) || isEmptyHandler(handler.text, then[0]?.text ?? "");
    return isQuiet && inside.some(isOld) ? [found] : [];
  });
}

const TRY = /^\s*(?:try\s*[:{]\s*$|begin\s*$)|^\s*(?:async\s+)?with\s+(?:contextlib\.)?suppress\(/;
const SUPPRESS = /\bsuppress\(/;
const TRY_ON_A_LINE = /\btry\s*\{.*\}\s*catch\s*(?:\([^)]*\)\s*)?\{\s*(?:\/\*.*\*\/\s*)?\}/;
const NOT_CHECKED = /\braises\b|\bthrows?\b/i;

function isEmptyHandler(text: string, next: string): boolean {
  if (/^\s*\}?\s*catch\b.*\{\s*\}/.test(text)) return true;
  if (/^\s*\}?\s*catch\b.*\{\s*(?:\/\/.*)?$/.test(text)) return /^\s*\}/.test(next);
  return (
    /^\s*(?:except\b.*:|rescue\b.*)/.test(text) &&
    (/:\s*pass\b/.test(text) || /^\s*(?:pass|\.\.\.|end)\s*(?:#.*)?$/.test(next))
  );
}

function isRemoved({ kind }: PatchLine): boolean {
  return kind === "removed";
}

function isAdded({ kind }: PatchLine): boolean {
  return kind === "added";
}

const LONGEST = 80;

function quoted(text: string): string {
  const one = normal(text).replaceAll("`", "'");
  return `\`${one.length > LONGEST ? `${one.slice(0, LONGEST - 1)}…` : one}\``;
}
