import type { Lines } from "../../text/lines.ts";
import { placedParser } from "../placed-parser.ts";
import type { Log } from "../../log.ts";
import { type Caught, type Finding, type Parser, finding, ignored } from "../parser.ts";
import { frameOf } from "../failure-body.ts";
import { headings } from "../sections.ts";

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

/** What happened to which test: its groups are numbered, not named, for a log may have a hundred thousand of them. */
const EVENT = /^(?:=== (RUN|CONT|NAME|PAUSE)\s+(\S+)$|\s*--- (FAIL|PASS|SKIP): (\S+) \()/;
const SAID = /^\s+(?<file>[\w.-]+\.go):(?<line>\d+): ?(?<message>.*)$/;

/** Logs of passing tests look like messages of a compiler: every line a test printed is consumed, reported or not. */
function parse(log: Log): readonly Finding[] {
  const { lines, placed, beginning } = log;
  const events = beginning("=== ", "--- ").filter((index) => EVENT.test(lines.at(index)));
  if (events.length === 0) return [];
  const rest = { end: lines.length, directory: "" };
  let next = 0;
  const told = [...packageDirectories(log), rest].flatMap((one) => {
    const start = next;
    while ((events[next] ?? one.end) < one.end) next += 1;
    return readPackage(lines, events.slice(start, next), one);
  });
  const spoken = placed.map(({ index }) => index).filter((index) => SAID.test(lines.at(index)));
  return told.concat(runsOf(spoken).map(({ from, to }) => ignored(from, to)));
}

/** Lines that follow each other, as ranges. */
function runsOf(indexes: readonly number[]): readonly Range[] {
  const runs: { from: number; to: number }[] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last?.to === index) last.to += 1;
    else runs.push({ from: index, to: index + 1 });
  }
  return runs;
}

function readPackage(
  lines: Lines,
  events: readonly number[],
  { end, directory }: GoPackage,
): readonly Finding[] {
  const failed = failedTests(lines, events, end);
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
function failedTests(lines: Lines, events: readonly number[], end: number): readonly FailedTest[] {
  const failing = namesOfFailing(lines, events);
  const saidBy = new Map<string, Range[]>();
  const over = new Set<string>();
  const failed: FailedTest[] = [];
  events.forEach((index, order) => {
    const [, state, running, result, test = running ?? ""] = EVENT.exec(lines.at(index)) ?? [];
    if (!failing.has(test)) return;
    const isAgain = state === "RUN" || (result !== undefined && over.has(test));
    const said = (isAgain ? undefined : saidBy.get(test)) ?? [];
    saidBy.set(test, said);
    said.push({ from: index + 1, to: events[order + 1] ?? end });
    if (result === undefined) over.delete(test);
    else over.add(test);
    if (result === "FAIL") failed.push({ test, index, said });
  });
  return failed;
}

function namesOfFailing(lines: Lines, events: readonly number[]): ReadonlySet<string> {
  const failing = events.filter((index) => lines.startsWith(index, "--- FAIL", lines.indentOf(index)));
  return new Set(failing.map((index) => EVENT.exec(lines.at(index))?.[4] ?? ""));
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
