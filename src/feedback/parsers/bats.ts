import type { Log } from "../log.ts";
import type { Caught } from "./compose.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { sections } from "./sections.ts";

/** bats' pretty output. */
export const bats: Parser = { name: "bats", kind: "test", marks: ["(in test file"], parse };

const FAILED = /^.{0,200}? ✗ (?<test>.+?)\s*$/;
const PLACE = /\(in test file (?<file>\S+), line (?<line>\d+)\)|file (?<helper>\S+), line (?<at>\d+)/;

function parse({ lines }: Log): readonly Finding[] {
  return sections(lines, FAILED, /^\S| ✓ /)
    .filter(({ body }) => body.some((line) => PLACE.test(line)))
    .map(({ heading, body, from, to }) => finding(() => ({ ...heading, ...describe(body) }), from, to));
}

function describe(body: readonly string[]): Caught {
  const place = PLACE.exec(body.find((line) => line.includes("(in test file ")) ?? body.join(" "))?.groups;
  const [message, ...excerpt] = body.filter((line) => !/\((?:in|from) /.test(line));
  return { file: place?.["file"], line: place?.["line"], message, excerpt };
}
