import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { sections } from "./sections.ts";

/** PHPUnit: `1) Class::method` with the message and a bare trace; and its testdox form. */
export const phpunit: Parser = {
  name: "phpunit",
  kind: "test",
  marks: ["PHPUnit ", "Failed asserting", " ✘ "],
  parse: (log) => [...numbered(log), ...testdox(log)],
};

const NUMBERED = /^\d+\) (?<test>[\w\\]+::\S.*)$/;
const END = /^(?:--|There (?:was|were) \d+ |(?:FAILURES|ERRORS|WARNINGS)!|Tests: \d+|OK\b.*)$/;

function numbered({ lines }: Log): readonly Finding[] {
  return sections(lines, NUMBERED, END).map(({ heading, body, from, to }) => {
    const [, name = ""] = /^(?:.*\\)?(\w+)::/.exec(heading["test"] ?? "") ?? [];
    return finding(
      { ...readFailureBody(body, { testFile: `${name}.php` }), test: heading["test"] },
      from,
      to,
    );
  });
}

function testdox({ lines }: Log): readonly Finding[] {
  return sections(lines, /^ ✘ (?<test>.+?)(?: +\[[\d.]+ ms\])?$/, /^(?: [✔✘∅↩] |\S)/).map(
    ({ heading, body, from, to }) => {
      const own = body.map((line) => line.replace(/^\s+[│├┐┴┊╵╷]\s?/, ""));
      return finding({ ...readFailureBody(own), ...heading }, from, to);
    },
  );
}
