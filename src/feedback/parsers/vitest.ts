import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { sections } from "./sections.ts";

/** Vitest: `FAIL file > suite > test`; where that part of the log is missing, the marks in the list of tests. */
export const vitest: Parser = {
  name: "vitest",
  kind: "test",
  marks: [" FAIL  ", "⎯⎯⎯", " ❯ ", " × "],
  parse: (log) => {
    const told = failures(log);
    return [...told, ...onlyListed(log, told)];
  },
};

const FAILURE = /^\s*FAIL\s{2,}(?:\S+\s+)??(?<file>\S+\.[cm]?[jt]sx?)(?: > (?<test>.+?))?(?: \[ .* \])?$/;
const UNHANDLED = /^⎯+ Unhandled (?:Error|Rejection|Exception)s? ⎯+$/;
const END = /^⎯{3,}|^\s*(?:Test Files|Snapshots|Tests) {2}\d/;

/** Tests that failed alike share one body, below the last of their names. */
function failures({ lines }: Log): readonly Finding[] {
  const found = sections(lines, FAILURE, END);
  const named = found.map(({ heading, from, to }, index) => {
    const next = found.slice(index).find(({ body }) => body.some((line) => line.trim() !== ""));
    const { file, test } = heading;
    const caught = readFailureBody(withoutSource(next?.body ?? []), { testFile: file });
    return finding({ ...caught, file: caught.file ?? file, test }, from, to);
  });
  const unhandled = sections(lines, new RegExp(`${UNHANDLED.source}(?<none>)`), END).filter(
    ({ body }) => body.length > 1,
  );
  return [
    ...named,
    ...unhandled.map(({ body, from, to }) => finding(readFailureBody(withoutSource(body)), from, to)),
  ];
}

/** The marked source says what the place says already. */
function withoutSource(body: readonly string[]): readonly string[] {
  return body.filter((line) => !/^\s*(?:\d+)?\| |^\s+\|\s*\^?$/.test(line));
}

const FILE = /^\s*(?:❯|×|✗|FAIL)\s+(?:\S+\s+)??(?<file>\S+\.[cm]?[jt]sx?)\s\(\d+ tests?.*$/;
const LISTED = /^\s+[×✗]\s(?<test>.+?)(?:\s+\d+m?s)?$/;

function onlyListed({ lines }: Log, told: readonly Finding[]): readonly Finding[] {
  const titles = new Set(told.map(({ problem }) => lastName(problem.test ?? "")));
  return sections(lines, FILE, /^\S/).flatMap(({ heading, body, from }) =>
    body.flatMap((line, index) => {
      const test = LISTED.exec(line)?.groups?.["test"];
      if (test === undefined || titles.has(lastName(test))) return [];
      const message = /^\s+→ (?<message>.*)$/.exec(body[index + 1] ?? "")?.groups?.["message"];
      return [finding({ ...heading, test, message }, from + 1 + index)];
    }),
  );
}

function lastName(test: string): string {
  return test.split(" > ").at(-1) ?? test;
}
