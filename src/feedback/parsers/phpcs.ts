import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { sections } from "./sections.ts";

/** PHP_CodeSniffer's table. */
export const phpcs: Parser = { name: "phpcs", kind: "lint", parse };

const FILE = /^FILE: (?<file>\S.*)$/;
const ROW = /^\s*(?<line>\d+) \| (?<severity>ERROR|WARNING) +\| (?:\[[x ]\] )?(?<message>.*)$/;

function parse({ lines, beginning }: Log): readonly Finding[] {
  return sections(lines, beginning("FILE: "), { start: FILE, end: /^Time: / }).flatMap(
    ({ heading, body, from }) =>
      body.flatMap((line, index) => {
        const row = ROW.exec(line)?.groups;
        return row === undefined ? [] : [finding(() => ({ ...heading, ...row }), from + 1 + index)];
      }),
  );
}
