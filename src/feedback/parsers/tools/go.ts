import type { Lines } from "../../text/lines.ts";
import { placedParser } from "../placed-parser.ts";
import type { Log } from "../../log.ts";
import { type Caught, type Finding, type Parser, finding, ignored } from "../parser.ts";
import { frameOf } from "../failure-body.ts";
import { type Section, headings } from "../sections.ts";

/** `go build` and `go vet`; `go test` prints the same before it gives up on a package. */
export const goBuild = placedParser({
  name: "go-build",
  kind: "build",
  says: (rest, { place: { file, indent, column } }) =>
    indent === 0 && file.endsWith(".go") && column !== undefined && /^\S/.test(rest),
});

/** `go test`: what a test said stands below `--- FAIL` without -v, above it with -v. */
export const goTest: Parser = { name: "go-test", kind: "test", parse };

/** A test that failed, and the lines it said. */
interface FailedTest {
  readonly test: string;
  readonly index: number;
  readonly said: readonly Range[];
}

interface Range {
  readonly from: number;
  readonly to: number;
}

const EVENT =
  /^(?:=== (?<state>RUN|CONT|NAME|PAUSE)\s+(?<running>\S+)$|\s*--- (?<result>FAIL|PASS|SKIP): (?<test>\S+) \()/;
const SAID = /^\s+(?<file>[\w.-]+\.go):(?<line>\d+): ?(?<message>.*)$/;

/** Logs of passing tests look like messages of a compiler: every line a test printed is consumed, reported or not. */
function parse(log: Log): readonly Finding[] {
  const { lines, placed, beginning } = log;
  const events = headings(lines, beginning("=== ", "--- "), EVENT);
  if (events.length === 0) return [];
  const rest = { end: lines.length, directory: "" };
  let next = 0;
  const told = [...packageDirectories(log), rest].flatMap((one) => {
    const start = next;
    while ((events[next]?.from ?? one.end) < one.end) next += 1;
    return readPackage(lines, events.slice(start, next), one);
  });
  const spoken = placed.filter(({ index }) => SAID.test(lines.at(index)));
  return [...told, ...spoken.map(({ index }) => ignored(index, index + 1))];
}

function readPackage(
  lines: Lines,
  events: readonly Section[],
  { end, directory }: GoPackage,
): readonly Finding[] {
  const failed = failedTests(events, end);
  const parents = new Set(
    failed.filter(({ test }) => test.includes("/")).map(({ test }) => test.replace(/\/[^/]*$/, "")),
  );
  return failed
    .filter(({ test, said }) => !parents.has(test) || saidLines(lines, said).length > 0)
    .map(({ test, index, said }) =>
      finding(() => describeTest(test, saidLines(lines, said), directory), index),
    );
}

/** What stands below an event was printed by its test; a test that runs again prints everything again. */
function failedTests(events: readonly Section[], end: number): readonly FailedTest[] {
  const saidBy = new Map<string, Range[]>();
  const over = new Set<string>();
  return events.flatMap(({ heading, from }, order) => {
    const { state, running, result, test = running ?? "" } = heading;
    const isAgain = state === "RUN" || (result !== undefined && over.has(test));
    const said = (isAgain ? undefined : saidBy.get(test)) ?? [];
    saidBy.set(test, said);
    said.push({ from: from + 1, to: events[order + 1]?.from ?? end });
    if (result === undefined) over.delete(test);
    else over.add(test);
    return result === "FAIL" ? [{ test, index: from, said }] : [];
  });
}

function saidLines(lines: Lines, said: readonly Range[]): readonly string[] {
  return said
    .flatMap(({ from, to }) => lines.slice(from, to))
    .filter((line) => !/^(?:FAIL|PASS|exit status \d+)?$/.test(line));
}

/** Logs and errors look alike; the last thing a test says is why it ended. */
function describeTest(test: string, said: readonly string[], directory: string): Caught {
  const panic = said
    .map((line) => /^\s*panic: (?<message>.*?)(?: \[recovered\].*)?$/.exec(line)?.groups)
    .find(Boolean);
  if (panic !== undefined) {
    const frame = said.map(frameOf).find((one) => one !== undefined && !one.isForeign);
    return { ...frame, test, message: `panic: ${panic["message"]}` };
  }
  const last = said.findLastIndex((line) => SAID.test(line));
  const { file, line, message } = SAID.exec(said[last] ?? "")?.groups ?? {};
  const spoken = [message, ...said.slice(last + 1)].find((text) => (text?.trim() ?? "") !== "");
  const path = file === undefined || directory === "" ? file : `${directory}/${file}`;
  return { file: path, line, test, message: spoken, excerpt: said.length > 1 ? said : [] };
}

/** Where the output of one package ends, and in which directory the package is. */
interface GoPackage {
  /** Index of the line `FAIL path 0.1s` or `ok path 0.1s`. */
  readonly end: number;
  readonly directory: string;
}

const RESULT = /^(?:FAIL|ok {2}|\? {3})\t(?<path>\S+)(?:\t|\s|$)/;

/** The packages of a log in order. `go test` names files without their directory; the package's import path has it. */
function packageDirectories({ lines, beginning }: Log): readonly GoPackage[] {
  const found = headings(lines, beginning("FAIL\t", "ok  \t", "?   \t"), RESULT).map(({ heading, from }) => ({
    end: from,
    path: heading["path"]?.split("/") ?? [],
  }));
  const root = moduleLength(found.map(({ path }) => path));
  return found.map(({ end, path }) => ({ end, directory: path.slice(root).join("/") }));
}

/** The log does not say where the module's own path ends; what all packages share, and the habits of hosting, do. */
function moduleLength(paths: readonly (readonly string[])[]): number {
  const [first = []] = paths;
  const differs = first.findIndex((part, index) => paths.some((other) => other[index] !== part));
  return Math.min(differs === -1 ? first.length : differs, usualLength(first));
}

function usualLength([host = "", , , version = ""]: readonly string[]): number {
  if (!host.includes(".")) return 1;
  if (!/^(?:github|gitlab|bitbucket|codeberg)\./.test(host)) return 2;
  return /^v\d+$/.test(version) ? 4 : 3;
}
