import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { placedParser } from "./placed-parser.ts";
import { sections } from "./sections.ts";

/** ShellCheck's own form: the place, the line, and verdicts pointing at it. */
export const shellcheck: Parser = { name: "shellcheck", kind: "lint", parse };

/** The form it borrows from GCC, where even a note is a finding. */
export const shellcheckLikeGcc: Parser = placedParser({
  name: "shellcheck",
  kind: "lint",
  says: (rest) => /\[SC\d{4}\]$/.test(rest),
});

const PLACE = /^In (?<file>\S.*) line (?<line>\d+):$/;
const END = /^(?:For more information|Did you mean):/;
const VERDICT = /^\s*\^-*\^?-* (?<code>SC\d+)(?: \((?<severity>\w+)\))?: (?<message>.*)$/;

function parse({ lines, beginning }: Log): readonly Finding[] {
  return sections(lines, beginning("In "), { start: PLACE, end: END }).flatMap(({ heading, body, from }) =>
    body.flatMap((line, index) => {
      const said = VERDICT.exec(line)?.groups;
      const excerpt = body[0] === undefined ? [] : [body[0]];
      return said === undefined ? [] : [finding(() => ({ ...heading, ...said, excerpt }), from + 1 + index)];
    }),
  );
}
