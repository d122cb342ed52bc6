import type { Log } from "../../log.ts";
import { type Caught, type Finding, type Parser, finding } from "../parser.ts";
import { type Section, headings, toFinding, sections, lastBefore } from "../sections.ts";
import { readFailureBody } from "../failure-body.ts";
import { placedParser } from "../placed-parser.ts";

/** The Elixir compiler: errors in one line, warnings with their place on the next. */
export const elixir: Parser = { name: "elixir", kind: "build", parse: parseElixir };

const ELIXIR_ERROR =
  /^\*\* \((?<code>\w+)\) (?<file>\S+\.exs?):(?<line>\d+)(?::(?<column>\d+))?: (?<message>.*)$/;
const ELIXIR_WARNING = /^(?<severity>warning|error): (?<message>\S.*)$/;
const ELIXIR_PLACE = /^\s+(?:└─ )?(?<file>\S+\.exs?):(?<line>\d+)(?::(?<column>\d+))?(?:: .*)?$/;

function parseElixir({ lines, beginning }: Log): readonly Finding[] {
  const errors = headings(lines, beginning("** ("), ELIXIR_ERROR);
  const warnings = headings(lines, beginning("warning: ", "error: "), ELIXIR_WARNING);
  return [
    ...errors.map(toFinding(({ heading }) => heading)),
    ...warnings
      .filter(({ to }) => ELIXIR_PLACE.test(lines.at(to)))
      .map((warning) =>
        finding(() => describeElixir(warning, lines.at(warning.to)), warning.from, warning.to + 1),
      ),
  ];
}

function describeElixir({ heading }: Section, below: string): Caught {
  return { ...heading, ...ELIXIR_PLACE.exec(below)?.groups };
}

/** Elixir's ExUnit: `1) test name (Module)` with the test's place on the next line. */
export const exunit: Parser = { name: "exunit", kind: "test", parse: parseExunit };

const EXUNIT_TEST = /^\s{2}\d+\) (?:test|property|doctest) (?<test>.+) \((?<module>[\w.]+)\)$/;
const EXUNIT_END = /^(?:Finished in |\.+$)/;

function parseExunit({ lines, numbered }: Log): readonly Finding[] {
  return sections(lines, numbered, { start: EXUNIT_TEST, end: EXUNIT_END }).map(toFinding(describeExunit));
}

function describeExunit({ heading, body }: Section): Caught {
  const place = /^\s+(?<file>\S+\.exs):(?<line>\d+)$/.exec(body[0] ?? "")?.groups;
  const own = body.slice(place === undefined ? 0 : 1).filter((line) => !/^\s+stacktrace:$/.test(line));
  const caught = readFailureBody(own, { testFile: place?.["file"] });
  const definedAt = place === undefined ? "" : ` (test at ${place["file"]}:${place["line"]})`;
  return { ...caught, test: heading["test"], message: `${caught.message}${definedAt}` };
}

/** PHP itself: `PHP Parse error: message in file on line N`. */
export const php: Parser = { name: "php", kind: "build", parse: parsePhp };

const PHP_ERROR =
  /^(?:PHP )?(?<severity>(?:Parse|Fatal|Recoverable fatal) error|Warning): +(?<message>.*?) in (?<file>\S+?)(?: on line |:)(?<line>\d+)$/;

function parsePhp({ lines, beginning }: Log): readonly Finding[] {
  return headings(lines, beginning("PHP ", "Parse ", "Fatal ", "Recoverable ", "Warning: "), PHP_ERROR).map(
    toFinding(({ heading }) => heading),
  );
}

/** PHP_CodeSniffer's table. */
export const phpcs: Parser = { name: "phpcs", kind: "lint", parse: parsePhpcs };

const PHPCS_FILE = /^FILE: (?<file>\S.*)$/;
const PHPCS_ROW = /^\s*(?<line>\d+) \| (?<severity>ERROR|WARNING) +\| (?:\[[x ]\] )?(?<message>.*)$/;

function parsePhpcs({ lines, beginning }: Log): readonly Finding[] {
  return sections(lines, beginning("FILE: "), { start: PHPCS_FILE, end: /^Time: / }).flatMap(
    ({ heading, body, from }) =>
      body.flatMap((line, index) => {
        const row = PHPCS_ROW.exec(line)?.groups;
        return row === undefined ? [] : [finding(() => ({ ...heading, ...row }), from + 1 + index)];
      }),
  );
}

/** PHPUnit: `1) Class::method` with the message and a bare trace; and its testdox form. */
export const phpunit: Parser = {
  name: "phpunit",
  kind: "test",
  parse: (log) => [...numberedFailures(log), ...testdox(log)],
};

const PHPUNIT_TEST = /^\d+\) (?<test>[\w\\]+::\S.*)$/;
const PHPUNIT_LIST = /^There (?:was|were) \d+ (?<what>.*):$/;
const PHPUNIT_END = /^(?:--$|There (?:was|were) \d+ |(?:FAILURES|ERRORS|WARNINGS)!|Tests: \d+|OK\b)/;

/** Tests that were skipped, or that PHPUnit only frowns at, are listed in the same way. */
function numberedFailures({ lines, numbered, beginning }: Log): readonly Finding[] {
  const lists = headings(lines, beginning("There was ", "There were "), PHPUNIT_LIST);
  return sections(lines, numbered, { start: PHPUNIT_TEST, end: PHPUNIT_END })
    .filter(({ from }) => !/risky|skipped|incomplete/.test(lastBefore(lists, from)?.heading["what"] ?? ""))
    .map(toFinding(describePhpunit));
}

function describePhpunit({ heading, body }: Section): Caught {
  const [, name = ""] = /^(?:.*\\)?(\w+)::/.exec(heading["test"] ?? "") ?? [];
  return { ...readFailureBody(body, { testFile: `${name}.php` }), ...heading };
}

const TESTDOX_FAILED = /^ ✘ (?<test>.+?)(?: +\[[\d.]+ ms\])?$/;
const TESTDOX_NEXT = /^(?: [✔✘∅↩] |\S)/;

function testdox({ lines, beginning }: Log): readonly Finding[] {
  return sections(lines, beginning("✘ "), { start: TESTDOX_FAILED, end: TESTDOX_NEXT }).map(
    toFinding(({ heading, body }) => ({ ...readFailureBody(body.map(withoutRule)), ...heading })),
  );
}

function withoutRule(line: string): string {
  return line.replace(/^\s+[│├┐┴┊╵╷]\s?/, "");
}

/** RSpec: numbered failures with `Failure/Error:`; pending examples look the same and are not failures. */
export const rspec: Parser = { name: "rspec", kind: "test", parse: parseRspec };

const RSPEC_PART = /^(?<part>Failures|Pending):/;
const RSPEC_EXAMPLE = /^\s{2}\d+\) (?<test>.+)$/;
const RSPEC_END = /^(?:Failures:|Pending: |Finished in |Failed examples:|Top \d+ )/;
const RSPEC_OUTSIDE = /^An error occurred (?:while loading (?<file>\S+?)\.?(?: .*)?|in .*)$/;

function parseRspec({ lines, numbered, beginning }: Log): readonly Finding[] {
  if (beginning("Failure/Error:").length === 0) return [];
  const parts = headings(lines, beginning("Failures:", "Pending:"), RSPEC_PART);
  const examples = sections(lines, numbered, { start: RSPEC_EXAMPLE, end: RSPEC_END }).filter(
    ({ from }) => lastBefore(parts, from)?.heading["part"] !== "Pending",
  );
  const outside = sections(lines, beginning("An error occurred "), { start: RSPEC_OUTSIDE, end: RSPEC_END });
  return [...examples, ...outside]
    .filter(({ body }) => body.some((line) => line.includes("Failure/Error:")))
    .map(toFinding(describeRspec));
}

function describeRspec({ heading, body }: Section): Caught {
  const start = body.findIndex((line) => line.includes("Failure/Error:"));
  const source = (body[start] ?? "").replace(/^.*?Failure\/Error:\s*/, "");
  const {
    message = "",
    excerpt = [],
    ...place
  } = readFailureBody(body.slice(start + 1), { testFile: heading["file"] });
  const [second = "", ...rest] = typeof excerpt === "string" ? [] : excerpt;
  return {
    ...place,
    test: heading["test"],
    message: `${message} ${second}`,
    excerpt: [`> ${source}`, ...rest],
  };
}

/** bats' pretty output: the place stands right below the name of the test. */
export const bats: Parser = { name: "bats", kind: "test", parse: parseBats };

const BATS_FAILED = /^.{0,200}? ✗ (?<test>.+?)\s*$/;
const BATS_PLACE = /\(in test file (?<file>\S+), line (?<line>\d+)\)|file (?<helper>\S+), line (?<at>\d+)/;

function parseBats({ lines, beginning }: Log): readonly Finding[] {
  const above = beginning("(in test file ", "(from function ").map((place) => place - 1);
  return sections(lines, above, { start: BATS_FAILED, end: /^\S| [✓✗] / }).map(
    toFinding(({ heading, body }) => ({ ...heading, ...describeBats(body) })),
  );
}

function describeBats(body: readonly string[]): Caught {
  const place = BATS_PLACE.exec(
    body.find((line) => line.includes("(in test file ")) ?? body.join(" "),
  )?.groups;
  const [message, ...excerpt] = body.filter((line) => !/\((?:in|from) /.test(line));
  return { file: place?.["file"], line: place?.["line"], message, excerpt };
}

/** ShellCheck's own form: the place, the line, and verdicts pointing at it. */
export const shellcheck: Parser = { name: "shellcheck", kind: "lint", parse: parseShellcheck };

/** The form it borrows from GCC, where even a note is a finding. */
export const shellcheckLikeGcc: Parser = placedParser({
  name: "shellcheck",
  kind: "lint",
  says: (rest) => /\[SC\d{4}\]$/.test(rest),
});

const SHELLCHECK_PLACE = /^In (?<file>\S.*) line (?<line>\d+):$/;
const SHELLCHECK_END = /^(?:For more information|Did you mean):/;
const SHELLCHECK_VERDICT = /^\s*\^-*\^?-* (?<code>SC\d+)(?: \((?<severity>\w+)\))?: (?<message>.*)$/;

function parseShellcheck({ lines, beginning }: Log): readonly Finding[] {
  return sections(lines, beginning("In "), { start: SHELLCHECK_PLACE, end: SHELLCHECK_END }).flatMap(
    ({ heading, body, from }) =>
      body.flatMap((line, index) => {
        const said = SHELLCHECK_VERDICT.exec(line)?.groups;
        const excerpt = body[0] === undefined ? [] : [body[0]];
        return said === undefined
          ? []
          : [finding(() => ({ ...heading, ...said, excerpt }), from + 1 + index)];
      }),
  );
}
