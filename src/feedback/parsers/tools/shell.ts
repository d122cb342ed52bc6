import type { Log } from "../../log.ts";
import { type Caught, type Finding, type Parser, finding } from "../parser.ts";
import { sections, toFinding } from "../sections.ts";
import { placedParser } from "../placed-parser.ts";

/** bats' pretty output: the place stands right below the name of the test. */
export const bats: Parser = { name: "bats", kind: "test", parse: parseBats };

const FAILED = /^.{0,200}? ✗ (?<test>.+?)\s*$/;
const BATS_PLACE = /\(in test file (?<file>\S+), line (?<line>\d+)\)|file (?<helper>\S+), line (?<at>\d+)/;

function parseBats({ lines, beginning }: Log): readonly Finding[] {
  const above = beginning("(in test file ", "(from function ").map((place) => place - 1);
  return sections(lines, above, { start: FAILED, end: /^\S| [✓✗] / }).map(
    toFinding(({ heading, body }) => ({ ...heading, ...describe(body) })),
  );
}

function describe(body: readonly string[]): Caught {
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
const END = /^(?:For more information|Did you mean):/;
const VERDICT = /^\s*\^-*\^?-* (?<code>SC\d+)(?: \((?<severity>\w+)\))?: (?<message>.*)$/;

function parseShellcheck({ lines, beginning }: Log): readonly Finding[] {
  return sections(lines, beginning("In "), { start: SHELLCHECK_PLACE, end: END }).flatMap(
    ({ heading, body, from }) =>
      body.flatMap((line, index) => {
        const said = VERDICT.exec(line)?.groups;
        const excerpt = body[0] === undefined ? [] : [body[0]];
        return said === undefined
          ? []
          : [finding(() => ({ ...heading, ...said, excerpt }), from + 1 + index)];
      }),
  );
}
