import type { Log } from "../log.ts";
import { type Caught, finding, ignored } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { type Section, sections } from "./sections.ts";

/** Vitest: `FAIL file > suite > test`; where that part of the log is missing, the marks in the list of tests. */
export const vitest: Parser = {
  name: "vitest",
  kind: "test",
  parse,
};

const FAILURE = /^\s*FAIL\s{2,}(?:\S+\s+)??(?<file>\S+\.[cm]?[jt]sx?)(?: > (?<test>.+?))?(?: \[ .* \])?$/;
const UNHANDLED = /^⎯+ Unhandled (?<kind>Error|Rejection|Exception) ⎯+$/;
const END = /^⎯{3,}|^\s*(?:Test Files|Snapshots|Tests) {2}\d/;
const PRINTED = /^(?<stream>stdout|stderr) \| /;

function parse(log: Log): readonly Finding[] {
  const { lines, beginning } = log;
  const failed = sections(lines, beginning("FAIL "), { start: FAILURE, end: END });
  const unhandled = sections(lines, beginning("⎯"), { start: UNHANDLED, end: END });
  const printed = sections(lines, beginning("stdout | ", "stderr | "), { start: PRINTED, end: /^\s*$/ });
  return [
    ...withSharedBodies(failed).map(({ section, told }) => failure(section, told)),
    ...unhandled.map((section) => failure(section, section)),
    ...onlyListed(log, failed),
    ...printed.map(({ from, to }) => ignored(from, to)),
  ];
}

/** Tests that failed alike share one body, below the last of their names. */
function withSharedBodies(failed: readonly Section[]) {
  let below: { section: Section; told: Section } | undefined;
  return failed
    .toReversed()
    .map((section) => {
      const isEmpty = section.body.every((line) => line.trim() === "");
      const told = isEmpty && below?.section.from === section.to ? below.told : section;
      below = { section, told };
      return below;
    })
    .toReversed();
}

function failure(section: Section, told: Section): Finding {
  return finding(() => describe(section, told.body), section.from, section.to);
}

function describe({ heading: { file, test } }: Section, body: readonly string[]): Caught {
  const caught = readFailureBody(withoutSource(body), { testFile: file });
  return { ...caught, file: caught.file ?? file, test };
}

/** The marked source says what the place says already. */
function withoutSource(body: readonly string[]): readonly string[] {
  return body.filter((line) => !/^\s*\d*\|/.test(line));
}

const FILE = /^\s*(?:❯|×|✗|FAIL)\s+(?:\S+\s+)??(?<file>\S+\.[cm]?[jt]sx?)\s\(\d+ tests?.*$/;
const LISTED = /^\s+[×✗]\s(?:(?<test>.+?)\s+)??(?:\d+m?s)?$/;

function onlyListed({ lines, beginning }: Log, told: readonly Section[]): readonly Finding[] {
  const titles = new Set(told.map(({ heading }) => lastName(heading["test"])));
  const files = sections(lines, beginning("❯", "×", "✗", "FAIL"), { start: FILE, end: /^\S/ });
  return files.flatMap(({ heading, body, from }) =>
    body.flatMap((line, index) => {
      const listed = LISTED.exec(line)?.groups;
      const test = listed?.["test"] ?? "";
      if (listed === undefined) return [];
      const at = from + 1 + index;
      if (titles.has(lastName(test))) return [ignored(at, at + 1)];
      const message = /^\s+→ (?<message>.*)$/.exec(body[index + 1] ?? "")?.groups?.["message"];
      return [finding(() => ({ ...heading, test, message }), at)];
    }),
  );
}

/** Without the spaces at the ends of a name, which one of the two lists drops. */
function lastName(test: string | undefined): string | undefined {
  return test?.split(" >").at(-1)?.trim();
}
