import { identify, type Finding } from "../../gates/review/finding.ts";
import { isForeign, type Language } from "./languages.ts";
import { isAboutGone, showsSource, type SourceChange, sourceChange } from "./gone-from-source.ts";
import { type HiddenTest, hiddenTests, isHiddenFile } from "./hidden-tests.ts";
import { normal, type PatchedFile, type PatchLine, Tally } from "./patched-file.ts";
import {
  bodyOf,
  type Change,
  changeOf,
  type Declaration,
  isAlways,
  isMark,
  stemOf,
  type TestSource,
  testSource,
} from "./test-source.ts";
import { weakerTests } from "./weaker-assertions.ts";

export function weakenedTests(files: readonly PatchedFile[]): readonly Finding[] {
  const sources = files.flatMap(testSource);
  const change = { ...changeOf(sources, files), ...sourceChange(files) };
  return [
    ...files.filter(isHiddenFile).map(({ file, renamedFrom }) => hiddenFile(file, renamedFrom ?? "")),
    ...sources.flatMap((source) => {
      const hidden = hiddenTests(source, files);
      return [
        ...hidden.map(({ test, issue }) => finding(source.file, test.line.line, issue)),
        ...deletedTests(withoutTests(source, hidden), change),
        ...marked(source, change),
        ...weakerTests(source).map(({ line, issue }) => finding(source.file, line.line, issue)),
        ...lostAssertions(source, change),
      ];
    }),
    ...files.filter((file) => isRewrittenSnapshot(file) && !showsSource(file, change)).map(rewrittenSnapshot),
  ];
}

type WholeChange = Change & SourceChange;

function hiddenFile(file: PatchedFile["file"], before: string): Finding {
  return finding(file, null, `test file that no runner finds any more, renamed from ${quote(before)}`);
}

function withoutTests(source: TestSource, hidden: readonly HiddenTest[]): TestSource {
  const known = new Set(hidden.map(({ test }) => test));
  return { ...source, removed: source.removed.filter((test) => !known.has(test)) };
}

function deletedTests(source: TestSource, change: WholeChange): readonly Finding[] {
  const { file, isDeleted, removed, added, lines, language } = source;
  const comments = lines.filter(({ kind, text }) => kind === "added" && language.comment.test(text));
  const isComment = ({ name, named }: Declaration): boolean =>
    source.commented.has(named) || comments.some(({ text }) => text.includes(name));
  const isElsewhere = (test: Declaration): boolean =>
    change.addedTests.has(test.name) ||
    isMerged(test, source) ||
    isMoved(test, source, change.addedAssertions);
  const isWithSubject = (test: Declaration): boolean =>
    isAboutGone([test.line, ...bodyOf(test, source).filter(({ kind }) => kind === "removed")], change);
  const gone = firstOfEach(
    removed.filter((test) => isComment(test) || !(isElsewhere(test) || isWithSubject(test))),
  );
  if (gone.length === 0) return [];
  if (isDeleted) {
    if (change.deletedStems.has(stemOf(file))) return []; // its subject went too
    return [
      finding(file, null, `test file deleted with ${gone.length === 1 ? "1 test" : `${gone.length} tests`}`),
    ];
  }
  const tables = tablesIn(source);
  return withoutRenamed(gone, firstOfEach(added))
    .filter(({ line }) => !tables.has(line.hunk))
    .map((test) => {
      const what = `test ${isComment(test) ? "commented out" : "deleted"}: ${quote(test.name)}`;
      return finding(file, test.line.line, what);
    });
}

/** Hunks where one test with many inputs may replace many tests. */
function tablesIn({ lines, added, language }: TestSource): ReadonlySet<number> {
  const tables = lines.filter(({ kind, text }) => kind === "added" && language.table.test(text));
  const hunks = new Set(tables.map(({ hunk }) => hunk));
  const isTest = added.some(({ line }) => hunks.has(line.hunk));
  return isTest ? new Set(lines.map(({ hunk }) => hunk)) : hunks;
}

/** Its body stays, as part of the test before it. */
function isMerged(test: Declaration, source: TestSource): boolean {
  const { named, isAnnotated } = test;
  const lines = source.hunks[named.hunk] ?? [];
  const slide = slideOf(lines, named.at);
  if (!isAnnotated && slide === 0 && lines[named.at + 1]?.kind === "kept") return true;
  const body = bodyOf(test, source);
  const stays = body.filter(({ kind }) => kind === "kept").slice(slide);
  const last = body.findLast(({ kind }) => kind !== "kept")?.at ?? 0;
  const between = stays.filter(({ at, text }) => at < last && /\w/.test(text));
  return between.length >= SOME_LINES || stays.some(({ text }) => source.language.assertion.test(text));
}

/** So many kept lines among changed ones are no coincidence. */
const SOME_LINES = 3;

/** How far a removed block can slide down: if tests end alike, git may show the end of the wrong one. */
function slideOf(lines: readonly PatchLine[], at: number): number {
  const from = lines.findLastIndex(({ kind }, index) => index < at && kind !== "removed") + 1;
  const end = lines.findIndex(({ kind }, index) => index > at && kind !== "removed");
  if (end === -1) return 0;
  const differs = lines
    .slice(end)
    .findIndex(({ kind, text }, index) => kind !== "kept" || text !== lines[from + index]?.text);
  return differs === -1 ? lines.length - end : differs;
}

/** Everything it asserts is asserted in an added line now. */
function isMoved(test: Declaration, source: TestSource, addedAssertions: ReadonlySet<string>): boolean {
  const asserted = bodyOf(test, source).filter(
    ({ kind, text }) => kind === "removed" && source.language.assertion.test(text) && !GOES_ON.test(text),
  );
  return asserted.length > 0 && asserted.every(({ text }) => addedAssertions.has(normal(text)));
}

/** The first line of a multi-line assertion is too common to recognise it by. */
const GOES_ON = /(?:[,({[]|->|=>|=)\s*$/;

function firstOfEach(tests: readonly Declaration[]): readonly Declaration[] {
  return [...new Map(tests.toReversed().map((one) => [one.name, one])).values()].toReversed();
}

/** A test that appeared in the same hunk, or anywhere in the file, may be a renamed one. */
function withoutRenamed(gone: readonly Declaration[], fresh: readonly Declaration[]): readonly Declaration[] {
  const count = gone.length - fresh.length;
  if (count <= 0) return [];
  const inHunks = new Tally(fresh.map(({ line }) => String(line.hunk)));
  const left = gone.filter(({ line }) => !inHunks.take(String(line.hunk)));
  return left.slice(-count);
}

function marked(source: TestSource, { removedSkips }: WholeChange): readonly Finding[] {
  const { file, lines, language } = source;
  const isOurs = (line: PatchLine): boolean =>
    (isMark(line.text, language) && (!language.comment.test(line.text) || language.skip.test(line.text))) ||
    isInverted(line, source);
  const added = lines.filter((line) => line.kind === "added" && isOurs(line));
  const fresh = added.filter(({ text }) => !removedSkips.take(normal(text)));
  const reworded = new Tally(
    lines.filter((line) => line.kind === "removed" && isOurs(line)).map(({ hunk }) => String(hunk)),
  );
  return fresh
    .filter(({ hunk }) => !reworded.take(String(hunk)))
    .filter((line) => isAlways(line, source))
    .map(({ line, text }) => finding(file, line, `${whatBecame(text, language)}: ${quote(text)}`));
}

function whatBecame(text: string, { focus, inverted }: Language): string {
  if (focus?.test(text) === true) return "only focused tests run";
  return inverted?.test(text) === true ? "test passes when it fails" : "test skipped";
}

/** A test that was there before: a new one may show a known bug. */
function isInverted({ text, at, hunk, kind }: PatchLine, { language, hunks, lines }: TestSource): boolean {
  if (language.inverted?.test(text) !== true) return false;
  if (kind === "removed") return true;
  const name = language.test.exec(text)?.groups?.["name"];
  if (name === undefined) {
    const own = hunks[hunk] ?? [];
    return [own[at - 1], own[at + 1]].every((line) => line === undefined || line.kind === "kept");
  }
  return lines.some(
    (line) => line.kind === "removed" && language.test.exec(line.text)?.groups?.["name"] === name,
  );
}

function lostAssertions(source: TestSource, change: WholeChange): readonly Finding[] {
  const { file, isDeleted, hunks, shrunk, wasCommented } = source;
  if (isDeleted) return [];
  return hunks.flatMap((own, hunk) => {
    if (shrunk.has(hunk) || !isInTests(source, hunk)) return []; // reported, or moved, as tests
    const code = own.filter((line) => !wasCommented.has(line));
    const lost = lostIn(code, source.language, change);
    const [first] = lost;
    if (first === undefined) return [];
    const more = lost.length === 1 ? "" : `, and ${lost.length - 1} more`;
    return [finding(file, first.line, `assertion removed: ${quote(first.text)}${more}`)];
  });
}

function isInTests({ file, hunks, headings, language: { testsOnly } }: TestSource, hunk: number): boolean {
  if (testsOnly === undefined || testsOnly.file.test(file)) return true;
  const texts = [headings[hunk] ?? "", ...(hunks[hunk] ?? []).map(({ text }) => text)];
  return texts.some((text) => testsOnly.line.test(text));
}

function lostIn(lines: readonly PatchLine[], language: Language, change: WholeChange): readonly PatchLine[] {
  const code = lines.filter(({ text }) => !language.comment.test(text));
  const isReplaced = code.some(({ kind, text }) => kind === "added" && mayCheck(text, language));
  const isHelper = code.some(
    ({ kind, text }) => kind === "removed" && FUNCTION.test(text) && !language.test.test(text),
  );
  if (isReplaced || isHelper) return [];
  const kept = new Set(code.filter(({ kind }) => kind === "kept").map(({ text }) => normal(text)));
  return code.filter(
    (line, at) =>
      line.kind === "removed" &&
      !isRelay(line.text, code[at - 1]?.text) &&
      isLoss(line.text, language) &&
      !kept.has(normal(line.text)) && // it was there twice
      !change.addedAssertions.has(normal(line.text)) &&
      !isAboutGone([line], change),
  );
}

function isLoss(text: string, { assertion, hollow }: Language): boolean {
  return assertion.test(text) && !NO_STATEMENT.test(text) && !NO_LOSS.test(text) && !hollow.test(text);
}

/** Whether a line may check something; the name of a test does not. */
function mayCheck(text: string, { test, assertion, hollow }: Language): boolean {
  const code = test.test(text) ? text.replaceAll(/(["'`]).*?\1|\btest\w*/g, "") : text;
  return (MAY_CHECK.test(code) || assertion.test(code)) && !hollow.test(code);
}

/** An import, or the head of a helper. */
const NO_STATEMENT =
  /^\s*(?:import|from|use|using|require)\b(?!\s*\.)|\b(?:fun|def|func|fn|function)\s+(?:<.*>\s*)?\w+/;

/** The call alone would fail if it threw. */
const NO_LOSS = /DoesNotThrow|doesNotThrow|not\.toThrow|NotThrow\w*\(|nothing_raised|not_to\s+raise_error/;

/** Passes on a caught error: the test fails without it too. */
function isRelay(text: string, before = ""): boolean {
  return /\b(?:fail|ifError)\s*\(/.test(text) && /\b(?:catch|except|rescue)\b/.test(before);
}

/** A function removed with its assertions was a helper, or is reported as a test. */
const FUNCTION =
  /^\s*(?:(?:(?:export|async|public|private|protected|internal|static|final|pub|suspend|inline|override|open)\s+)*(?:function|defp?|func|fn|fun|class|object|describe|context|testing|\(defn-?|\(testing|(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:function|\())(?:\s|\()|(?:(?:public|private|protected|internal|static|final|async)\s+)+[\w<>[\], .?]*\w\s*\()/;

/** Wider than the assertions of a language: a helper may check now. */
const MAY_CHECK =
  /assert|expect|should|verify|validat|check|compare|require|must|refute|match|raises|warns|throws|fail|equal|\b(?:is|are)\b|\bt\.\w+\(|\b(?:then|that)\(.*\)\.\w+\(|^\s*\.(?:has|contains|starts|ends|does)[A-Z]\w*\(/i;

function isRewrittenSnapshot({ file, isNew, isDeleted, lines }: PatchedFile): boolean {
  if (isNew || isDeleted || !SNAPSHOT.test(file) || isForeign(file)) return false;
  const removed = lines.filter(({ kind }) => kind === "removed").map(({ text }) => text.trim());
  const added = new Tally(lines.filter(({ kind }) => kind === "added").map(({ text }) => text.trim()));
  return (
    removed.some((text) => text !== "" && !added.take(text)) && lines.some(({ kind }) => kind === "added")
  );
}

/** Jest and Vitest, syrupy, insta, ApprovalTests and Verify. */
const SNAPSHOT =
  /\.(?:snap|ambr|snap\.new|received\.txt|approved\.\w+|verified\.\w+)$|(?:^|\/)__snapshots__\//;

function rewrittenSnapshot({ file, lines }: PatchedFile): Finding {
  const changed = lines.filter(({ kind }) => kind === "removed");
  const count = changed.length === 1 ? "1 line" : `${changed.length} lines`;
  return finding(file, changed[0]?.line ?? null, `snapshot rewritten: ${count} changed`);
}

const FIX =
  'Restore it and fix the code instead. If the task itself calls for it, answer with "skipped" and the reason.';

function finding(file: PatchedFile["file"], line: number | null, issue: string): Finding {
  return identify({ file, line, issue, fix: FIX, priority: "high" });
}

const LONGEST_QUOTE = 120;

function quote(text: string): string {
  const one = normal(text).replaceAll("`", "'");
  return `\`${one.length > LONGEST_QUOTE ? `${one.slice(0, LONGEST_QUOTE - 1)}…` : one}\``;
}
