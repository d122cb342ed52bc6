import type { Log } from "../log.ts";
import type { Caught } from "./compose.ts";
import { finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import type { Section } from "./sections.ts";
import { sections } from "./sections.ts";

/** pytest: the sections FAILURES and ERRORS, completed from (or replaced by) the short summary. */
export const pytest: Parser = {
  name: "pytest",
  kind: "test",
  marks: ["= FAILURES =", "= ERRORS =", "short test summary", "FAILED "],
  parse: ({ lines }) => {
    const summary = summaryOf(lines);
    const told = failures(lines, summary);
    return [...told, ...onlySummarised(summary, told, bareLines(lines)), ...warnings(lines)];
  },
};

interface Summarised {
  readonly file: string;
  /** `TestMore.test_text[2]`, as the headings have it; absent when the file could not be collected. */
  readonly test?: string | undefined;
  readonly message?: string | undefined;
  readonly index: number;
}

const SUMMARY = /^(?:FAILED|ERROR) (?<file>[^\s:]+\.pyx?)(?:::(?<test>.+?))?(?: - (?<message>.*))?$/;

function summaryOf(lines: readonly string[]): readonly Summarised[] {
  return lines.flatMap((line, index) => {
    const { file, test, message } = SUMMARY.exec(line)?.groups ?? {};
    return file === undefined ? [] : [{ file, test: test?.replaceAll("::", "."), message, index }];
  });
}

const HEADING = /^_{2,} (?:ERROR (?:at \w+ of|collecting) )?(?<name>\S.*?) _{2,}$/;
const END = /^={3,} .* ={3,}$/;

function failures(lines: readonly string[], summary: readonly Summarised[]): readonly Finding[] {
  return sections(lines, HEADING, END).map((section) => {
    const name = section.heading["name"] ?? "";
    const isFile = /\.pyx?$/.test(name);
    const testFile = isFile ? name : summary.find(({ test }) => test === name)?.file;
    return finding(
      { ...readBody(section, testFile), test: isFile ? undefined : name },
      section.from,
      section.to,
    );
  });
}

/** Lines with `E` say what went wrong, lines with `>` where; without them (`--tb=native`) it is a plain traceback. */
function readBody({ body }: Section, testFile: string | undefined): Caught {
  const captured = body.findIndex((line) => /^-{3,} Captured .* -{3,}$/.test(line));
  const own = captured === -1 ? body : body.slice(0, captured);
  const said = own.filter((line) => /^E(?:\s|$)/.test(line)).map((line) => line.replace(/^E {0,3}/, ""));
  const caught = readFailureBody(own, { testFile, innermostLast: true });
  if (said.length === 0) return { ...caught, message: exceptionOf(own) ?? caught.message, excerpt: "" };
  const cause = / \(at [^()]+\)$/.exec(caught.message ?? "")?.[0] ?? "";
  const marked = own.filter((line) => line.startsWith(">")).map((line) => line.replace(/^>\s+/, "> "));
  return { ...caught, message: `${said[0]?.trim()}${cause}`, excerpt: [...marked, ...said.slice(1)] };
}

function exceptionOf(body: readonly string[]): string | undefined {
  return body.findLast((line) =>
    /^[A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Failed)?(?::|$)/.test(line),
  );
}

interface Bare {
  readonly file: string;
  readonly line: string;
  readonly message: string;
  readonly index: number;
}

/** `--tb=line` prints `file:line: message` without the test's name. */
function bareLines(lines: readonly string[]): readonly Bare[] {
  const start = lines.findIndex((line) => /^=+ FAILURES =+$/.test(line));
  const end = lines.findIndex((line, index) => index > start && END.test(line));
  if (start === -1) return [];
  return lines.slice(start, end === -1 ? undefined : end).flatMap((line, offset) => {
    const {
      file,
      line: number,
      message,
    } = /^(?<file>\/\S+\.py):(?<line>\d+): (?<message>\S.*)$/.exec(line)?.groups ?? {};
    if (file === undefined || number === undefined || message === undefined || message.startsWith("in "))
      return [];
    return [{ file, line: number, message, index: start + offset }];
  });
}

/** Summary lines without a section; failures stand in the same order in both places. */
function onlySummarised(
  summary: readonly Summarised[],
  told: readonly Finding[],
  bare: readonly Bare[],
): readonly Finding[] {
  const names = new Set(told.map(({ problem }) => problem.test ?? problem.file));
  const missing = summary.filter(({ test, file }) => !names.has(test ?? file));
  const places = bare.length === missing.length ? bare : [];
  const lonely = places.length === 0 ? [] : bare.map(({ index }) => index);
  return missing.map(({ index, ...said }, order) => {
    const from = lonely[order] ?? index;
    const { message = said.message } = places[order] ?? {};
    return finding({ ...said, ...withPlace(said, places[order]), message }, from);
  });
}

function withPlace(said: { file: string }, place: Bare | undefined): Partial<Caught> {
  if (place === undefined) return {};
  return place.file.endsWith(said.file) ? { line: place.line } : { file: place.file, line: place.line };
}

/** Warnings of a passing test are not problems; their places must not be read as such by anyone else. */
function warnings(_lines: readonly string[]): readonly Finding[] {
  return [];
}
