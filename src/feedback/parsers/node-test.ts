import type { Log } from "../log.ts";
import { type Caught, finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { headings } from "./sections.ts";

/** node:test's spec reporter: `✖ name (1.2ms)` with the failure indented below, and again under "failing tests". */
export const nodeTest: Parser = { name: "node-test", kind: "test", parse };

const FAILED = /^(?<indent>\s*)✖ (?<test>.+?) \([\d.]+m?s\)$/;
const PLACE = /^\s*test at (?<file>\S+?):(?<line>\d+):(?<column>\d+)$/;

function parse({ lines, beginning }: Log): readonly Finding[] {
  return headings(lines, beginning("✖ "), FAILED).flatMap(({ heading, from }) => {
    const { indent = "", test = "" } = heading;
    const to = endOfBody(lines, from + 1, indent.length);
    const body = lines.slice(from + 1, to);
    if (body.every((one) => one.trim() === "")) return [];
    return [finding(() => describe(test, body, lines[from - 1] ?? ""), from, to)];
  });
}

function endOfBody(lines: readonly string[], start: number, indent: number): number {
  let end = start;
  while (end < lines.length && belongs(lines[end] ?? "", indent)) end += 1;
  return end;
}

function belongs(line: string, indent: number): boolean {
  return (line.trim() === "" || line.search(/\S/) > indent) && !FAILED.test(line) && !PLACE.test(line);
}

/** A file that could not run is reported as a test with the file's name. */
function describe(test: string, body: readonly string[], above: string): Caught {
  const place = PLACE.exec(above)?.groups;
  const caught = readFailureBody(withoutProperties(body), { testFile: place?.["file"] });
  if (/^[\w./\\:-]+\.[cm]?[jt]sx?$/.test(test)) return { ...caught, file: test };
  return caught.line === undefined ? { ...caught, ...place, test } : { ...caught, test };
}

/** An assertion's message shows the values already; the printed error repeats them. */
function withoutProperties(body: readonly string[]): readonly string[] {
  const start = body.findIndex((line) => /^\s*at .* \{$/.test(line));
  return start === -1 ? body : body.slice(0, start + 1);
}
