import type { Log } from "../log.ts";
import { type Caught, finding, ignored } from "./compose.ts";
import { causeIn, readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { type Section, sections, toFinding, headings } from "./sections.ts";

/** pytest: the sections FAILURES and ERRORS, completed from (or replaced by) the short summary. */
export const pytest: Parser = { name: "pytest", kind: "test", parse };

const HEADING = /^_{2,} (?:ERROR (?:at \w+ of|collecting) )?(?<name>\S.*?) _{2,}$/;
const WARNINGS = /^=+ warnings summary(?<final> \(final\))? =+$/;
const END = /^={3,} .* ={3,}$/;

/** Warnings of a passing test are not problems; their places must not be read as such by anyone else. */
function parse(log: Log): readonly Finding[] {
  const { lines, beginning } = log;
  const summary = summaryOf(log);
  const told = sections(lines, beginning("__"), { start: HEADING, end: END });
  const warnings = sections(lines, beginning("="), { start: WARNINGS, end: END });
  const files = new Map(summary.map(({ test, file }) => [test, file]));
  const names = new Set(told.map(({ heading }) => heading["name"]));
  const missing = summary.filter(({ test, file }) => !names.has(test ?? file));
  return [
    ...told.map(toFinding((section) => describe(section, files))),
    ...onlySummarised(missing, bareFailures(log)),
    ...warnings.map(({ from, to }) => ignored(from, to)),
  ];
}

function describe({ heading, body }: Section, files: ReadonlyMap<string | undefined, string>): Caught {
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

function bareFailures({ lines, beginning }: Log): readonly Bare[] {
  const ruled = beginning("=").filter((index) => /^={3,} .* ={3,}$/.test(lines.at(index)));
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
