import type { Log } from "../log.ts";
import { finding, ignored } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import type { Section } from "./sections.ts";
import { sections } from "./sections.ts";

/** Vitest: `FAIL file > suite > test`; where that part of the log is missing, the marks in the list of tests. */
export const vitest: Parser = {
  name: "vitest",
  kind: "test",
  marks: ["FAIL ", "× ", "⎯⎯⎯", "stdout | ", "stderr | "],
  parse,
};

const FAILURE = /^\s*FAIL\s{2,}(?:\S+\s+)??(?<file>\S+\.[cm]?[jt]sx?)(?: > (?<test>.+?))?(?: \[ .* \])?$/;
const UNHANDLED = /^⎯+ Unhandled (?<kind>Error|Rejection|Exception) ⎯+$/;
const END = /^⎯{3,}|^\s*(?:Test Files|Snapshots|Tests) {2}\d/;
const PRINTED = /^(?<stream>stdout|stderr) \| /;

function parse(log: Log): readonly Finding[] {
  const failed = sections(log.lines, FAILURE, END);
  const unhandled = sections(log.lines, UNHANDLED, END);
  const printed = sections(log.lines, PRINTED, /^\s*$/);
  return [
    ...failed.map((section, index) => failure(section, sharedBody(failed, index))),
    ...unhandled.map((section) => failure(section, section.body)),
    ...onlyListed(log, failed),
    ...printed.map(({ from, to }) => ignored(from, to)),
  ];
}

/** Tests that failed alike share one body, below the last of their names. */
function sharedBody(failed: readonly Section[], index: number): readonly string[] {
  let last = index;
  while (
    failed[last]?.body.every((line) => line.trim() === "") &&
    failed[last + 1]?.from === failed[last]?.to
  )
    last += 1;
  return failed[last]?.body ?? [];
}

function failure({ heading, from, to }: Section, body: readonly string[]): Finding {
  const { file, test } = heading;
  return finding(
    () => {
      const caught = readFailureBody(withoutSource(body), { testFile: file });
      return { ...caught, file: caught.file ?? file, test };
    },
    from,
    to,
  );
}

/** The marked source says what the place says already. */
function withoutSource(body: readonly string[]): readonly string[] {
  return body.filter((line) => !/^\s*\d*\|/.test(line));
}

const FILE = /^\s*(?:❯|×|✗|FAIL)\s+(?:\S+\s+)??(?<file>\S+\.[cm]?[jt]sx?)\s\(\d+ tests?.*$/;
const LISTED = /^\s+[×✗]\s(?<test>.+?)(?:\s+\d+m?s)?$/;

function onlyListed({ lines }: Log, told: readonly Section[]): readonly Finding[] {
  const titles = new Set(told.map(({ heading }) => lastName(heading["test"])));
  return sections(lines, FILE, /^\S/).flatMap(({ heading, body, from }) =>
    body.flatMap((line, index) => {
      const test = LISTED.exec(line)?.groups?.["test"];
      if (test === undefined || titles.has(lastName(test))) return [];
      const message = /^\s+→ (?<message>.*)$/.exec(body[index + 1] ?? "")?.groups?.["message"];
      return [finding(() => ({ ...heading, test, message }), from + 1 + index)];
    }),
  );
}

function lastName(test: string | undefined): string | undefined {
  return test?.split(" > ").at(-1);
}
