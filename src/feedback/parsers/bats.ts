import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { sections } from "./sections.ts";

/** bats' pretty output. */
export const bats: Parser = { name: "bats", kind: "test", marks: ["(in test file "], parse };

function parse({ lines }: Log): readonly Finding[] {
  return sections(lines, /^.{0,200}? ✗ (?<test>.+?)\s*$/, /^\S| ✓ /).flatMap(
    ({ heading, body, from, to }) => {
      const place = body
        .map((line) => /line (?<line>\d+)\)|file (?<file>\S+), line (?<line2>\d+)/.exec(line)?.groups)
        .find(Boolean);
      const file = /\(in test file (?<file>\S+), line (?<line>\d+)\)/.exec(body.join("\n"))?.groups;
      if (place === undefined && file === undefined) return [];
      const [message, ...excerpt] = body.filter((line) => !/\((?:in|from) /.test(line));
      return [finding({ ...file, ...heading, message, excerpt }, from, to)];
    },
  );
}
