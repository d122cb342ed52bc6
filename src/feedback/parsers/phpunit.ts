import type { Log } from "../log.ts";
import type { Caught } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { type Section, headings, lastBefore, sections, toFinding } from "./sections.ts";

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
