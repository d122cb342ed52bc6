import type { Log } from "../../log.ts";
import { type Finding, type Parser, type Caught, finding } from "../parser.ts";
import { type Section, headings, toFinding, sections, lastBefore } from "../sections.ts";
import { readFailureBody } from "../failure-body.ts";

/** PHP itself: `PHP Parse error: message in file on line N`. */
export const php: Parser = { name: "php", kind: "build", parse: parsePhp };

const ERROR =
  /^(?:PHP )?(?<severity>(?:Parse|Fatal|Recoverable fatal) error|Warning): +(?<message>.*?) in (?<file>\S+?)(?: on line |:)(?<line>\d+)$/;

function parsePhp({ lines, beginning }: Log): readonly Finding[] {
  return headings(lines, beginning("PHP ", "Parse ", "Fatal ", "Recoverable ", "Warning: "), ERROR).map(
    toFinding(({ heading }) => heading),
  );
}

/** PHP_CodeSniffer's table. */
export const phpcs: Parser = { name: "phpcs", kind: "lint", parse: parsePhpcs };

const FILE = /^FILE: (?<file>\S.*)$/;
const ROW = /^\s*(?<line>\d+) \| (?<severity>ERROR|WARNING) +\| (?:\[[x ]\] )?(?<message>.*)$/;

function parsePhpcs({ lines, beginning }: Log): readonly Finding[] {
  return sections(lines, beginning("FILE: "), { start: FILE, end: /^Time: / }).flatMap(
    ({ heading, body, from }) =>
      body.flatMap((line, index) => {
        const row = ROW.exec(line)?.groups;
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

const NUMBERED = /^\d+\) (?<test>[\w\\]+::\S.*)$/;
const LIST = /^There (?:was|were) \d+ (?<what>.*):$/;
const END = /^(?:--$|There (?:was|were) \d+ |(?:FAILURES|ERRORS|WARNINGS)!|Tests: \d+|OK\b)/;

/** Tests that were skipped, or that PHPUnit only frowns at, are listed in the same way. */
function numberedFailures({ lines, numbered, beginning }: Log): readonly Finding[] {
  const lists = headings(lines, beginning("There was ", "There were "), LIST);
  return sections(lines, numbered, { start: NUMBERED, end: END })
    .filter(({ from }) => !/risky|skipped|incomplete/.test(lastBefore(lists, from)?.heading["what"] ?? ""))
    .map(toFinding(describe));
}

function describe({ heading, body }: Section): Caught {
  const [, name = ""] = /^(?:.*\\)?(\w+)::/.exec(heading["test"] ?? "") ?? [];
  return { ...readFailureBody(body, { testFile: `${name}.php` }), ...heading };
}

const FAILED = /^ ✘ (?<test>.+?)(?: +\[[\d.]+ ms\])?$/;
const NEXT = /^(?: [✔✘∅↩] |\S)/;

function testdox({ lines, beginning }: Log): readonly Finding[] {
  return sections(lines, beginning("✘ "), { start: FAILED, end: NEXT }).map(
    toFinding(({ heading, body }) => ({ ...readFailureBody(body.map(withoutRule)), ...heading })),
  );
}

function withoutRule(line: string): string {
  return line.replace(/^\s+[│├┐┴┊╵╷]\s?/, "");
}
