import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { sections } from "./sections.ts";

/** AVA: `✘ [fail]: name`, later the name again with the failure below. */
export const ava: Parser = { name: "ava", kind: "test", marks: ["✘ [fail]: ", "✖ [fail]: "], parse };

const LISTED =
  /^\s*[✘✖] \[fail\]: (?<test>.+?)(?: (?:Error thrown in test|Rejected promise returned by test))?$/;

function parse({ lines }: Log): readonly Finding[] {
  return sections(lines, LISTED).map(({ heading, from }) => {
    const { test = "" } = heading;
    const start = lines.findIndex((line, index) => index > from && line.trim() === test);
    if (start === -1) return finding({ test, message: "failed" }, from);
    const length = lines
      .slice(start + 1)
      .findIndex((line, index, rest) => line.trim() === "" && rest[index + 1]?.trim() === "");
    const body = lines.slice(start + 1, length === -1 ? undefined : start + 1 + length);
    const testFile = body.map((line) => /^\s*(\S+\.[cm]?[jt]sx?):\d+$/.exec(line)?.[1]).find(Boolean);
    const caught = readFailureBody(
      body.filter((line) => !/^\s*(?:\S+\.[cm]?[jt]sx?:\d+|\d+: .*)$/.test(line)),
      { testFile },
    );
    return finding({ ...caught, test }, start, start + 1 + body.length);
  });
}
