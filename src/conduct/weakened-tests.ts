import { identify, type Finding } from "../core/review/finding.ts";
import { isForeign, type Language, languageOf } from "./languages.ts";
import { normal, type PatchedFile, type PatchLine, Tally } from "./patched-file.ts";

/** Tests that were deleted, skipped or focused, assertions and snapshots that were given up: what makes a test run greener without a fix. */
export function weakenedTests(files: readonly PatchedFile[]): readonly Finding[] {
  const sources = files.flatMap(testSource);
  const change = changeOf(sources, files);
  return [
    ...sources.flatMap((source) => [
      ...deletedTests(source, change),
      ...marked(source, change),
      ...lostAssertions(source, change),
    ]),
    ...files.filter(isRewrittenSnapshot).map(rewrittenSnapshot),
  ];
}

interface TestSource extends PatchedFile {
  readonly language: Language;
  readonly removed: readonly Declaration[];
  readonly added: readonly Declaration[];
}

interface Declaration {
  readonly name: string;
  /** The one that changed, where the declaration has two. */
  readonly line: PatchLine;
  /** The name is on a later line than what makes it a test. */
  readonly isAnnotated: boolean;
}

/** What the change did elsewhere: tests, skips and assertions that were only moved are not lost. */
interface Change {
  readonly addedTests: ReadonlySet<string>;
  readonly removedSkips: Tally;
  readonly addedAssertions: ReadonlySet<string>;
  readonly deletedStems: ReadonlySet<string>;
}

function testSource(file: PatchedFile): TestSource[] {
  const language = languageOf(file.file);
  if (language === undefined || !language.testFile.test(file.file) || isForeign(file.file)) return [];
  const [before, after] = [declarations(file, language, "removed"), declarations(file, language, "added")];
  return [{ ...file, language, removed: without(before, after), added: without(after, before) }];
}

/** Those of one side that the other does not have. */
function without(tests: readonly Declaration[], others: readonly Declaration[]): readonly Declaration[] {
  const known = new Tally(others.map(({ name }) => name));
  return tests.filter(({ name }) => !known.take(name));
}

/** An annotation has its test's name on one of the next lines. */
const NAME_WITHIN = 6;

/** The tests of one side of the change, as far as the patch shows it. */
function declarations(
  { lines }: PatchedFile,
  language: Language,
  kind: "added" | "removed",
): readonly Declaration[] {
  const side = lines.filter((line) => line.kind === kind || line.kind === "kept");
  return side.flatMap((line, at): Declaration[] => {
    const match = language.comment.test(line.text) ? null : language.test.exec(line.text);
    if (match === null) return [];
    const { name = match.groups?.["title"] } = match.groups ?? {};
    if (name !== undefined) return [{ name, line, isAnnotated: false }];
    const named = nameIn(side.slice(at, at + NAME_WITHIN), language);
    if (named === undefined) return [];
    const changed = line.kind === kind ? line : named.line;
    return [{ name: named.name, line: changed, isAnnotated: true }];
  });
}

function nameIn(
  lines: readonly PatchLine[],
  { nameAfter }: Language,
): { readonly name: string; readonly line: PatchLine } | undefined {
  return lines.flatMap((line) => {
    const name = nameAfter?.exec(line.text)?.groups?.["name"];
    return name === undefined ? [] : [{ name, line }];
  })[0];
}

function changeOf(sources: readonly TestSource[], files: readonly PatchedFile[]): Change {
  const ofKind = (kind: PatchLine["kind"]) =>
    sources.flatMap(({ lines, language }) =>
      lines.filter((line) => line.kind === kind).map(({ text }) => ({ text, language })),
    );
  const assertions = ofKind("added").filter(({ text, language }) => language.assertion.test(text));
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
function stemOf(file: string): string {
  const name = file.split("/").at(-1) ?? "";
  return name
    .replace(/\.[^/]*$/, "")
    .toLowerCase()
    .replaceAll(/(?:^|[_-])(?:tests?|specs?)(?=$|[_-])|(?:tests?|specs?)$/g, "")
    .replaceAll(/[_-]/g, "");
}

function deletedTests(source: TestSource, change: Change): readonly Finding[] {
  const { file, isDeleted, removed, added, lines, language } = source;
  const gone = firstOfEach(
    removed.filter((test) => !change.addedTests.has(test.name) && !isMerged(test, source)),
  );
  if (gone.length === 0) return [];
  if (isDeleted) {
    if (change.deletedStems.has(stemOf(file))) return []; // its subject went too
    return [
      finding(file, null, `test file deleted with ${gone.length === 1 ? "1 test" : `${gone.length} tests`}`),
    ];
  }
  const fresh = firstOfEach(added);
  if (lines.some(({ kind, text }) => kind === "added" && language.table.test(text))) return [];
  const comments = lines.filter(({ kind, text }) => kind === "added" && language.comment.test(text));
  return withoutRenamed(gone, fresh).map(({ name, line }) => {
    const isComment = comments.some(({ text }) => text.includes(name));
    return finding(file, line.line, `test ${isComment ? "commented out" : "deleted"}: ${quote(name)}`);
  });
}

/** Its body stays where it was, as a part of the test before it. */
function isMerged({ line, isAnnotated }: Declaration, { hunks }: PatchedFile): boolean {
  return !isAnnotated && hunks[line.hunk]?.[line.at + 1]?.kind === "kept";
}

/** Cases of a test are written under its one name. */
function firstOfEach(tests: readonly Declaration[]): readonly Declaration[] {
  return [...new Map(tests.toReversed().map((one) => [one.name, one])).values()].toReversed();
}

/** A test that appeared where another disappeared, or anywhere in the file, may be the same under another name. */
function withoutRenamed(gone: readonly Declaration[], fresh: readonly Declaration[]): readonly Declaration[] {
  const count = gone.length - fresh.length;
  if (count <= 0) return [];
  const inHunks = new Tally(fresh.map(({ line }) => String(line.hunk)));
  const left = gone.filter(({ line }) => !inHunks.take(String(line.hunk)));
  return left.slice(-count);
}

function isMark(text: string, { skip, skipCall, focus }: Language): boolean {
  return skip.test(text) || skipCall?.test(text) === true || focus?.test(text) === true;
}

/** Skips and focuses that were added, and not merely moved or reworded. */
function marked(source: TestSource, { removedSkips }: Change): readonly Finding[] {
  const { file, lines, language } = source;
  const isOurs = ({ text }: PatchLine): boolean =>
    isMark(text, language) && (!language.comment.test(text) || language.skip.test(text));
  const added = lines.filter((line) => line.kind === "added" && isOurs(line));
  const fresh = added.filter(({ text }) => !removedSkips.take(normal(text)));
  const reworded = new Tally(
    lines.filter((line) => line.kind === "removed" && isOurs(line)).map(({ hunk }) => String(hunk)),
  );
  return fresh
    .filter(({ hunk }) => !reworded.take(String(hunk)))
    .filter((line) => language.skipCall?.test(line.text) !== true || isAlways(line, source))
    .map(({ line, text }) =>
      language.focus?.test(text) === true
        ? finding(file, line, `only focused tests run: ${quote(text)}`)
        : finding(file, line, `test skipped: ${quote(text)}`),
    );
}

/** A condition, on its own line or the one before, makes a skip about certain machines. */
function isAlways(skip: PatchLine, { hunks }: PatchedFile): boolean {
  if (CONDITION_AFTER.test(skip.text)) return false;
  const before = (hunks[skip.hunk] ?? [])
    .slice(0, skip.at)
    .findLast(({ kind, text }) => kind !== "removed" && text.trim() !== "");
  return before === undefined || !CONDITION.test(before.text);
}

const CONDITION =
  /^\s*[})]*\s*(?:if|elif|else|elsif|unless|except|rescue|catch|switch|case|when|default|for|while|select|try|try:)\b/;
const CONDITION_AFTER = /\s(?:if|unless)\s/;

/** Places where assertions were taken out and none was put in. */
function lostAssertions(source: TestSource, change: Change): readonly Finding[] {
  const { file, isDeleted, hunks } = source;
  if (isDeleted) return [];
  const [removed, added] = [perHunk(source.removed), perHunk(source.added)];
  return hunks.flatMap((own, hunk) => {
    if (removed.count(String(hunk)) > added.count(String(hunk))) return []; // reported, or moved, as tests
    const lost = lostIn(own, source.language, change);
    const [first] = lost;
    if (first === undefined) return [];
    const more = lost.length === 1 ? "" : `, and ${lost.length - 1} more`;
    return [finding(file, first.line, `assertion removed: ${quote(first.text)}${more}`)];
  });
}

function perHunk(tests: readonly Declaration[]): Tally {
  return new Tally(tests.map(({ line }) => String(line.hunk)));
}

function lostIn(lines: readonly PatchLine[], language: Language, change: Change): readonly PatchLine[] {
  const code = lines.filter(({ text }) => !language.comment.test(text));
  const added = code.filter(({ kind }) => kind === "added");
  const isReplaced = added.some(({ text }) => MAY_CHECK.test(text) && !language.hollow.test(text));
  const isHelper = code.some(({ kind, text }) => kind === "removed" && FUNCTION.test(text));
  if (isReplaced || isHelper) return [];
  const kept = new Set(code.filter(({ kind }) => kind === "kept").map(({ text }) => normal(text)));
  return code.filter(
    ({ kind, text }) =>
      kind === "removed" &&
      language.assertion.test(text) &&
      !language.hollow.test(text) &&
      !kept.has(normal(text)) && // it was there twice
      !change.addedAssertions.has(normal(text)),
  );
}

/** A function that went with its assertions was a helper, or is reported as a test. */
const FUNCTION =
  /^\s*(?:(?:(?:export|async|public|private|protected|internal|static|final|pub|suspend)\s+)*(?:function|defp?|func|fn|fun|class|object|describe|context|testing|\(defn-?|\(testing|(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:function|\())(?:\s|\()|(?:(?:public|private|protected|internal|static|final|async)\s+)+[\w<>[\], .?]*\w\s*\()/;

/** Wider than the assertions of the language: a helper may do the checking now. */
const MAY_CHECK =
  /assert|expect|should|verify|check|compare|require|must|refute|match|raises|warns|throws|fail|equal|\b(?:is|are)\b|\bt\.\w+\(/i;

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
