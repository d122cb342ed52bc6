import type { Lines } from "../text/lines.ts";
import { readVerdict, type VerdictText } from "../read-verdict.ts";
import { placedParser } from "./placed-parser.ts";
import { pointedParser } from "./pointed-parser.ts";
import type { Log } from "../log.ts";
import type { PlacedText } from "../text/placed-text.ts";
import { type Caught, finding } from "./compose.ts";
import { causeIn, readFailureBody, frameOf, spotOf } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { type Section, sections, toFinding, headings } from "./sections.ts";

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
    ...(name === undefined ? {} : { code: name }),
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
