import type { Lines } from "../../text/lines.ts";
import type { Log } from "../../log.ts";
import { type Caught, type Finding, type Parser, finding, ignored } from "../parser.ts";
import { causeIn, readFailureBody, frameOf } from "../failure-body.ts";
import { type Section, headings, toFinding } from "../sections.ts";

/** The Test Anything Protocol, of node:test, AVA, bats, Mocha, Perl and others. */
export const tap: Parser = { name: "tap", kind: "test", parse: parseTap };

const POINT =
  /^(?<indent>\s*)(?:not ok|ok) \d+(?: -)?(?: (?<test>.*?))?(?: # (?<directive>TODO|SKIP|time=).*)?$/i;

function parseTap({ lines, beginning }: Log): readonly Finding[] {
  return headings(lines, beginning("not ok "), POINT).flatMap(({ heading, from }) => {
    const { test, directive, indent = "" } = heading;
    if (/^(?:todo|skip)$/i.test(directive ?? "")) return [];
    const to = endOfPoint(lines, from + 1, indent.length);
    const body = lines.slice(from + 1, to);
    if (body.some((one) => /failureType: 'subtestsFailed'/.test(one))) return [ignored(from, to)];
    const isFile = /^[\w./\\:-]+\.[cm]?[jt]sx?$/.test(test ?? "");
    return [finding(() => ({ ...readPoint(body), ...(isFile ? { file: test } : { test }) }), from, to)];
  });
}

function endOfPoint(lines: Lines, start: number, indent: number): number {
  let end = start;
  while (end < lines.length && belongs(lines.at(end), indent)) end += 1;
  return end;
}

function belongs(line: string, indent: number): boolean {
  if (POINT.test(line) || /^\s*(?:# Subtest: |\d+\.\.\d+$|# (?:tests|pass|fail) )/.test(line)) return false;
  return line.trim() === "" || line.startsWith("#") || line.search(/\S/) > indent;
}

/** YAML below a point is common but not alike between producers; places and messages are looked for by their shape. */
function readPoint(body: readonly string[]): Caught {
  const plain = body.map((line) => line.replace(/^\s*# ?/, ""));
  const told = stackAsFrames(plain).filter((line) => !YAML_NOISE.test(line));
  const caught = readFailureBody(told);
  const place = PLACES.map((shape) => body.map((line) => shape.exec(line)?.groups).find(Boolean)).find(
    Boolean,
  );
  const at = told.findIndex((line) => ERROR_KEY.test(line));
  const error = ERROR_KEY.exec(told[at] ?? "")?.groups?.["message"] ?? "";
  const isBlock = /^[|>][-+\d]*$/.test(error);
  const message = isBlock ? told[at + 1]?.trim() : error.replace(/^'(.*)'$/, "$1");
  const placed = caught.line === undefined ? { ...caught, ...place } : caught;
  if (message === undefined || message === "") return placed;
  const excerpt = told.slice(at + (isBlock ? 2 : 1)).filter((line) => frameOf(line) === undefined);
  return { ...placed, message: `${message}${causeIn(caught)}`, excerpt };
}

/** node:test lists frames without their usual `at`; those of QUnit's message are where the test is defined. */
function stackAsFrames(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => /^\s*(?:stack|at): \|-?$/.test(line));
  if (start === -1) return lines;
  const above = lines.slice(0, start);
  const below = lines
    .slice(start)
    .map((line) => (/:\d+\)?$/.test(line) ? line.replace(/^\s+(?:at )?(?=\S)/, "  at ") : line));
  return [...above.filter((line) => frameOf(line) === undefined), ...below];
}

const YAML_NOISE =
  /^\s*(?:---|\.\.\.|duration_ms: .*|failureType: .*|code: .*|name: .*|stack: .*|location: .*|at: .*|at \.\.\.|type: .*|exitCode: .*|signal: .*|operator: .*|severity: .*|(?:at )?async Promise\.all \(index \d+\))$/;
const ERROR_KEY = /^\s*(?:error|message): (?<message>.*)$/;

/** YAML's own key; bats: `(in test file x.bats, line 3)`; Perl: `at t/x.t line 3.` */
const PLACES = [
  /^\s*(?:at|location): '(?:file:\/\/)?(?<file>.*?):(?<line>\d+):(?<column>\d+)'$/,
  /\(in test file (?<file>\S+), line (?<line>\d+)\)/,
  /\bfile (?<file>\S+), line (?<line>\d+)[,)]/,
  /\bat (?<file>\S+) line (?<line>\d+)\.?$/,
] as const;

/** `::error file=…,line=…::message`, which many tools print for GitHub Actions. */
export const githubAnnotations: Parser = { name: "github", kind: "lint", parse: parseAnnotations };

const ANNOTATION = /^::(?<severity>error|warning)(?: (?<properties>.*?))?::(?<message>.*)$/;

function parseAnnotations({ lines, beginning }: Log): readonly Finding[] {
  return headings(lines, beginning("::error", "::warning"), ANNOTATION)
    .filter(({ heading }) => /\bfile=/.test(heading["properties"] ?? ""))
    .map(toFinding(describeAnnotation));
}

function describeAnnotation({ heading: { severity, properties = "", message } }: Section): Caught {
  const { file, line, col } = Object.fromEntries(properties.split(",").map((pair) => pair.split("=", 2)));
  return { file: unescaped(file), line, column: col, severity, message: unescaped(message) };
}

function unescaped(text: string | undefined): string {
  return (text ?? "").replace(/%(25|0A|0D|3A|2C)/gi, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
