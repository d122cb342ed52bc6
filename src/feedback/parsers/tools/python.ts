import type { Lines } from "../../text/lines.ts";
import {
  type VerdictText,
  readVerdict,
  type Caught,
  type Finding,
  type Parser,
  finding,
  ignored,
} from "../parser.ts";
import { placedParser, pointedParser } from "../placed-parser.ts";
import type { Log } from "../../log.ts";
import type { PlacedText } from "../../text/placed-text.ts";
import { causeIn, readFailureBody, frameOf, spotOf } from "../failure-body.ts";
import { type Section, sections, toFinding, headings } from "../sections.ts";

/** flake8, and Ruff's concise output: all that they print is to be repaired. */
export const flake8 = placedParser({
  name: "flake8",
  kind: "lint",
  says: (rest, placed) => CODE.test(rest) && isPython(placed),
  read: (rest) => readVerdict(rest.replace(/^(\S+) \[\*\] /, "$1 ")),
});

const CODE = /^[A-Z]{1,4}\d{2,4} \S/;

function isPython({ place: { file, column } }: PlacedText): boolean {
  return /\.(?:pyi?|ipynb)$/.test(file) && column !== undefined;
}

/** mypy and Pyright. */
export const mypy = placedParser({
  name: "mypy",
  kind: "build",
  says: (rest, placed) => /^(?:error|warning): /.test(rest) && /\.pyi?$/.test(placed.place.file),
  wrapsUntil: /\[[\w-]+\]$/, // mypy --pretty
});

/** Pylint, text and parseable. */
export const pylint = placedParser({
  name: "pylint",
  kind: "lint",
  says: (rest) => TEXT.test(rest) || PARSEABLE.test(rest),
  read,
});

const TEXT = /^(?<letter>[CRWEFI])\d{4}: (?<message>.*?)(?: \((?<name>[\w-]+)\))?$/;
const PARSEABLE = /^\[(?<letter>[CRWEFI])\d{4}\((?<name>[\w-]+)\),[^\]]*\] (?<message>.*)$/;

/** Only errors and fatal messages are errors; the rest is convention, refactoring, warning. */
function read(rest: string): VerdictText {
  const { letter = "", name, message = rest } = (TEXT.exec(rest) ?? PARSEABLE.exec(rest))?.groups ?? {};
  return {
    severity: letter === "E" || letter === "F" ? "error" : "warning",
    code: name,
    message,
  };
}

/** Ruff's full output. */
export const ruff = pointedParser({
  name: "ruff",
  kind: "lint",
  arrows: ["-->"],
  message: /^(?:[A-Z]{1,5}\d{2,4}|[a-z]+(?:-[a-z]+)*:) (?:\[\*\] )?\S/,
});

/** Python's unittest, and Django's runner: `FAIL: name (module.Class)` between rules. */
export const unittest: Parser = { name: "unittest", kind: "test", parse: parseUnittest };

const HEADING = /^(?:FAIL|ERROR): (?<test>\S+)(?: \((?<where>[^)]*)\))?(?<more> .*)?$/;
const END = /^={20,}$|^Ran \d+ tests? in /;
const RULE = /^-{20,}$/;

function parseUnittest({ lines, beginning }: Log): readonly Finding[] {
  return sections(lines, beginning("FAIL: ", "ERROR: "), { start: HEADING, end: END })
    .filter(({ body }) => RULE.test(body[0] ?? ""))
    .map(toFinding(describeUnittest));
}

function describeUnittest({ heading, body }: Section): Caught {
  const own = body.filter((line) => !RULE.test(line));
  const trace = own.findLastIndex((line) => /^\s+File ".*", line \d+/.test(line));
  const [message = "failed", ...excerpt] = own.slice(trace + 1).filter((line) => !/^\s{4}/.test(line));
  const caught = readFailureBody(own, { innermostLast: true, testFile: moduleFile(heading["where"]) });
  const test = `${heading["test"]}${heading["more"] ?? ""}`;
  return { ...caught, test, message: `${message}${causeIn(caught)}`, excerpt };
}

/** `test_calc.CalcTest.test_add` lives in `test_calc.py`. */
function moduleFile(where: string | undefined): string | undefined {
  const parts = (where ?? "").split(".");
  const end = parts.findIndex((part) => /^[A-Z]/.test(part));
  return end <= 0 ? undefined : `${parts.slice(0, end).join("/")}.py`;
}

/** An uncaught Python exception, or a file Python cannot read. */
export const traceback: Parser = { name: "python", kind: "build", parse: parseTraceback };

const START = /^\s*(?:Traceback \(most recent call last\):|File ".+", line \d+)/;
const EXCEPTION = /^\s*(?<message>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?::.*)?)$/;
const LONGEST = 400;

function parseTraceback({ lines, beginning }: Log): readonly Finding[] {
  const findings: Finding[] = [];
  let next = 0;
  for (const { from } of headings(lines, beginning("Traceback (", 'File "'), START)) {
    if (from < next) continue;
    const line = lines.at(from);
    const indent = line.search(/\S/);
    const end = endOfTrace(lines, from + 1, line.startsWith("File", indent) ? indent - 1 : indent);
    const message = EXCEPTION.exec(lines.at(end))?.groups?.["message"];
    if (message !== undefined)
      findings.push(
        finding(() => ({ ...describeTraceback(lines.slice(from, end)), message }), from, end + 1),
      );
    next = end + 1;
  }
  return findings;
}

/** The exception stands at the margin of its traceback. */
function endOfTrace(lines: Lines, start: number, indent: number): number {
  let end = start;
  while (end < lines.length && end - start < LONGEST && isDeeper(lines.at(end), indent)) end += 1;
  return end;
}

function isDeeper(line: string, indent: number): boolean {
  return line.trim() !== "" && line.search(/\S/) > Math.max(indent, 0);
}

function describeTraceback(body: readonly string[]): Caught {
  const frames = body.flatMap((line) => frameOf(line) ?? []).filter(({ isForeign }) => !isForeign);
  const place = frames.at(-1);
  const callers = frames.slice(-4, -1).map((frame) => `called from ${spotOf(frame)}`);
  const source =
    body
      .at(-1)
      ?.trim()
      .replace(/^[~^\s]+$/, "") ||
    body.at(-2)?.trim() ||
    "";
  return { ...place, excerpt: [`> ${source}`, ...callers] };
}

/** pytest: the sections FAILURES and ERRORS, completed from (or replaced by) the short summary. */
export const pytest: Parser = { name: "pytest", kind: "test", parse: parsePytest };

const PYTEST_HEADING = /^_{2,} (?:ERROR (?:at \w+ of|collecting) )?(?<name>\S.*?) _{2,}$/;
const WARNINGS = /^=+ warnings summary(?<final> \(final\))? =+$/;
const PYTEST_END = /^={3,} .* ={3,}$/;
const TITLE = /^=+ .* =+$/;

/** Warnings of a passing test are not problems; their places must not be read as such by anyone else. */
function parsePytest(log: Log): readonly Finding[] {
  const { lines, beginning } = log;
  const summary = summaryOf(log);
  const told = sections(lines, beginning("__"), { start: PYTEST_HEADING, end: PYTEST_END });
  const titles = beginning("=").filter((line) => TITLE.test(lines.at(line)));
  const warnings = sections(lines, titles, { start: WARNINGS, end: PYTEST_END });
  const files = new Map(summary.map(({ test, file }) => [test, file]));
  const names = new Set(told.map(({ heading }) => heading["name"]));
  const missing = summary.filter(({ test, file }) => !names.has(test ?? file));
  return [
    ...told.map(toFinding((section) => describePytest(section, files))),
    ...onlySummarised(missing, bareFailures(log, titles)),
    ...warnings.map(({ from, to }) => ignored(from, to)),
  ];
}

function describePytest({ heading, body }: Section, files: ReadonlyMap<string | undefined, string>): Caught {
  const { name = "" } = heading;
  return /\.pyx?$/.test(name) ? readBody(body, name) : { ...readBody(body, files.get(name)), test: name };
}

/** Lines with `E` say what went wrong, lines with `>` where; without them (`--tb=native`) it is a plain traceback. */
function readBody(body: readonly string[], testFile: string | undefined): Caught {
  const captured = body.findIndex((line) => /^-{3,} Captured .* -{3,}$/.test(line));
  const own = captured === -1 ? body : body.slice(0, captured);
  const caught = readFailureBody(own, { testFile, innermostLast: true });
  const [message, ...rest] = own
    .filter((line) => /^E(?:\s|$)/.test(line))
    .map((line) => line.replace(/^E {0,3}/, ""));
  if (message === undefined) return { ...caught, message: exceptionIn(own) ?? caught.message, excerpt: "" };
  const marked = own.filter((line) => line.startsWith(">")).map((line) => line.replace(/^>\s+/, "> "));
  return { ...caught, message: `${message.trim()}${causeIn(caught)}`, excerpt: [...marked, ...rest] };
}

function exceptionIn(body: readonly string[]): string | undefined {
  return body.findLast((line) => /^[A-Za-z_][\w.]*(?::|$)/.test(line));
}

/** Failures stand in the same order in both places. */
function onlySummarised(missing: readonly Summarised[], bare: readonly Bare[]): readonly Finding[] {
  const isPaired = bare.length === missing.length;
  return missing.map(({ index, ...said }, order) => {
    const place = isPaired ? bare[order] : undefined;
    return finding(() => ({ ...said, ...placeIn(said.file, place) }), place?.index ?? index);
  });
}

/** The innermost line may lie outside the test's own file. */
function placeIn(file: string, place: Bare | undefined): Caught {
  if (place === undefined) return {};
  if (place.file.endsWith(file)) return { line: place.line, message: place.message };
  return { message: `${place.message} (at ${place.file}:${place.line})` };
}

/** A line of pytest's short summary. */
interface Summarised {
  readonly file: string;
  /** `TestMore.test_text[2]`, as the headings have it; absent when the file could not be collected. */
  readonly test?: string | undefined;
  readonly message?: string | undefined;
  readonly index: number;
}

const SUMMARY = /^(?:FAILED|ERROR) (?<file>[^\s:]+\.pyx?)(?:::(?<test>.+?))?(?: - (?<message>.*))?$/;

function summaryOf({ lines, beginning }: Log): readonly Summarised[] {
  return headings(lines, beginning("FAILED ", "ERROR "), SUMMARY).map(({ heading, from }) => {
    const { file = "", test, message } = heading;
    return { file, test: test?.replaceAll("::", "."), message, index: from };
  });
}

/** A failure as `--tb=line` prints it, without the test's name. */
interface Bare {
  readonly file: string;
  readonly line: string;
  readonly message: string;
  readonly index: number;
}

const BARE = /^(?<file>\/\S+\.py):(?<line>\d+): (?!in )(?<message>\S.*)$/;

function bareFailures({ lines, beginning }: Log, titles: readonly number[]): readonly Bare[] {
  const ruled = titles.filter((index) => PYTEST_END.test(lines.at(index)));
  const at = ruled.findIndex((index) => /^=+ FAILURES =+$/.test(lines.at(index)));
  if (at === -1) return [];
  const [start = 0, end = lines.length] = ruled.slice(at);
  return headings(lines, beginning("/"), BARE)
    .filter(({ from }) => from > start && from < end)
    .map(({ heading, from }) => {
      const { file = "", line = "", message = "" } = heading;
      return { file, line, message, index: from };
    });
}
