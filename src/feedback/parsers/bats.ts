import type { Log } from "../log.ts";
import type { Caught } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { sections, toFinding } from "./sections.ts";

/** bats' pretty output: the place stands right below the name of the test. */
export const bats: Parser = { name: "bats", kind: "test", parse };

const FAILED = /^.{0,200}? ✗ (?<test>.+?)\s*$/;
const PLACE = /\(in test file (?<file>\S+), line (?<line>\d+)\)|file (?<helper>\S+), line (?<at>\d+)/;

function parse({ lines, beginning }: Log): readonly Finding[] {
  const above = beginning("(in test file ", "(from function ").map((place) => place - 1);
  return sections(lines, above, { start: FAILED, end: /^\S| [✓✗] / }).map(
    toFinding(({ heading, body }) => ({ ...heading, ...describe(body) })),
  );
}

function describe(body: readonly string[]): Caught {
  const place = PLACE.exec(body.find((line) => line.includes("(in test file ")) ?? body.join(" "))?.groups;
  const [message, ...excerpt] = body.filter((line) => !/\((?:in|from) /.test(line));
  return { file: place?.["file"], line: place?.["line"], message, excerpt };
}
