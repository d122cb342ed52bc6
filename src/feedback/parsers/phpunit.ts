import type { Log } from "../log.ts";
import type { Caught } from "./compose.ts";
import { finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import type { Section } from "./sections.ts";
import { sections } from "./sections.ts";

/** PHPUnit: `1) Class::method` with the message and a bare trace; and its testdox form. */
export const phpunit: Parser = {
  name: "phpunit",
  kind: "test",
  marks: ["PHPUnit ", "✘ "],
  parse: (log) => [...numbered(log), ...testdox(log)],
};

const NUMBERED = /^\d+\) (?<test>[\w\\]+::\S.*)$/;
const END = /^(?:--|There (?:was|were) \d+ |(?:FAILURES|ERRORS|WARNINGS)!|Tests: \d+|OK\b.*)$/;

function numbered({ lines }: Log): readonly Finding[] {
  return sections(lines, NUMBERED, END).map((section) =>
    finding(() => describe(section), section.from, section.to),
  );
}

function describe({ heading, body }: Section): Caught {
  const [, name = ""] = /^(?:.*\\)?(\w+)::/.exec(heading["test"] ?? "") ?? [];
  return { ...readFailureBody(body, { testFile: `${name}.php` }), ...heading };
}

function testdox({ lines }: Log): readonly Finding[] {
  return sections(lines, /^ ✘ (?<test>.+?)(?: +\[[\d.]+ ms\])?$/, /^(?: [✔✘∅↩] |\S)/).map(
    ({ heading, body, from, to }) => {
      const own = body.map((line) => line.replace(/^\s+[│├┐┴┊╵╷]\s?/, ""));
      return finding(() => ({ ...readFailureBody(own), ...heading }), from, to);
    },
  );
}
