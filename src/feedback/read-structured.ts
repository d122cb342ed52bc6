import { type FindingKind, type Caught, composeProblem } from "./parsers/parser.ts";
import type { Problem } from "./problem.ts";
import { parseJson } from "../json.ts";
import { cleanText } from "./text/clean-text.ts";
import { readFailureBody } from "./parsers/failure-body.ts";

/** A problem from a report written for machines. */
export interface ReportedProblem {
  readonly problem: Problem;
  readonly tool: string;
  readonly kind: FindingKind;
}

/**
 * Reads a report: JUnit or Checkstyle XML, SARIF, the JSON of ESLint, Jest, Playwright, pytest or cargo. `undefined` for anything else, so that a check whose
 * command prints its report instead of prose is understood too.
 */
export function readStructured(text: string): readonly ReportedProblem[] | undefined {
  const start = startOfReport(text);
  if (start === undefined) return undefined;
  const report = text.slice(start).trim();
  return report.startsWith("<") ? readXmlReport(report) : readJsonReport(report);
}

/** Runners print a line or two before the report. */
const REPORT = /^(?:\[\s*\{\s*"|\{\s*"|<\?xml |<testsuites?[\s>]|<checkstyle[\s>])/m;
const FARTHEST = 2000;

function startOfReport(text: string): number | undefined {
  return REPORT.exec(text.slice(0, FARTHEST))?.index;
}

/** ESLint's JSON, SARIF, or the JSON of Jest and Vitest, Playwright, pytest and cargo; `undefined` for any other. */
function readJsonReport(text: string): readonly ReportedProblem[] | undefined {
  const value = parseJson(text) ?? cargoMessages(text);
  const [first] = list(value);
  if (field(first, "filePath") !== undefined) return list(value).flatMap(eslintFile);
  if (Array.isArray(field(value, "testResults"))) return list(field(value, "testResults")).flatMap(jestFile);
  if (field(first, "reason") !== undefined) return list(value).flatMap(cargoMessage);
  if (Array.isArray(field(value, "suites"))) return list(field(value, "suites")).flatMap(playwrightSuite);
  if (Array.isArray(field(value, "tests"))) return list(field(value, "tests")).flatMap(pytestTest);
  if (Array.isArray(field(value, "runs"))) return list(field(value, "runs")).flatMap(sarifRun);
  return undefined;
}

function eslintFile(file: unknown): readonly ReportedProblem[] {
  return list(field(file, "messages")).map((message) =>
    reported("eslint", "lint", {
      file: textOf(field(file, "filePath")),
      line: textOf(field(message, "line")),
      column: textOf(field(message, "column")),
      severity: field(message, "severity") === 1 ? "warning" : "error",
      code: textOf(field(message, "ruleId")),
      message: textOf(field(message, "message")),
    }),
  );
}

function jestFile(result: unknown): readonly ReportedProblem[] {
  const file = textOf(field(result, "name"));
  const failed = list(field(result, "assertionResults")).filter((one) => field(one, "status") === "failed");
  const tests = failed.map((one) => {
    const body = list(field(one, "failureMessages")).map(textOf).join("\n").split("\n");
    const test = textOf(field(one, "fullName"));
    return reported("jest", "test", { ...readFailureBody(body, { testFile: file }), test });
  });
  if (tests.length > 0 || field(result, "status") !== "failed") return tests;
  const body = textOf(field(result, "message"))?.split("\n") ?? [];
  return [reported("jest", "test", { ...readFailureBody(body, { testFile: file }), file })];
}

function playwrightSuite(suite: unknown): readonly ReportedProblem[] {
  const specs = list(field(suite, "specs")).filter((spec) => field(spec, "ok") === false);
  return [...specs.flatMap(playwrightSpec), ...list(field(suite, "suites")).flatMap(playwrightSuite)];
}

function playwrightSpec(spec: unknown): readonly ReportedProblem[] {
  const results = list(field(spec, "tests")).flatMap((one) => list(field(one, "results")));
  const error = results.map((one) => field(one, "error")).findLast((one) => one !== undefined);
  const place = field(error, "location");
  const [message, ...excerpt] = cleanText(textOf(field(error, "message")) ?? "failed").split("\n");
  return [
    reported("playwright", "test", {
      file: textOf(field(place, "file")) ?? textOf(field(spec, "file")),
      line: textOf(field(place, "line")) ?? textOf(field(spec, "line")),
      column: textOf(field(place, "column")),
      test: textOf(field(spec, "title")),
      message,
      excerpt,
    }),
  ];
}

/** Of the plugin pytest-json-report. */
function pytestTest(test: unknown): readonly ReportedProblem[] {
  const phase = ["setup", "call", "teardown"]
    .map((name) => field(test, name))
    .find((one) => field(one, "crash") !== undefined);
  const crash = field(phase, "crash");
  if (crash === undefined) return [];
  const [file, ...names] = textOf(field(test, "nodeid"))?.split("::") ?? [];
  return [
    reported("pytest", "test", {
      file: textOf(field(crash, "path")) ?? file,
      line: textOf(field(crash, "lineno")),
      test: names.join("::"),
      message: textOf(field(crash, "message"))?.split("\n")[0],
    }),
  ];
}

/** cargo writes one object on each line, among others of other kinds. */
function cargoMessages(text: string): readonly unknown[] | undefined {
  const objects = text
    .split("\n")
    .flatMap((line) => (line.startsWith('{"reason":') ? [parseJson(line)] : []));
  return objects.length === 0 ? undefined : objects.filter((one) => one !== undefined);
}

function cargoMessage(object: unknown): readonly ReportedProblem[] {
  const message = field(object, "message");
  const spans = list(field(message, "spans"));
  const span = spans.find((one) => field(one, "is_primary") === true);
  if (span === undefined || field(object, "reason") !== "compiler-message") return [];
  return [
    reported("cargo", "build", {
      file: textOf(field(span, "file_name")),
      line: textOf(field(span, "line_start")),
      column: textOf(field(span, "column_start")),
      severity: textOf(field(message, "level")),
      code: textOf(field(field(message, "code"), "code")),
      message: textOf(field(message, "message")),
    }),
  ];
}

function sarifRun(run: unknown): readonly ReportedProblem[] {
  const tool = textOf(field(field(field(run, "tool"), "driver"), "name")) ?? "sarif";
  return list(field(run, "results"))
    .filter((result) => field(result, "level") !== "none" && field(result, "level") !== "note")
    .map((result) => {
      const place = field(list(field(result, "locations"))[0], "physicalLocation");
      const region = field(place, "region");
      return reported(tool, "lint", {
        file: textOf(field(field(place, "artifactLocation"), "uri")),
        line: textOf(field(region, "startLine")),
        column: textOf(field(region, "startColumn")),
        severity: textOf(field(result, "level")),
        code: textOf(field(result, "ruleId")),
        message: textOf(field(field(result, "message"), "text")),
      });
    });
}

function reported(tool: string, kind: ReportedProblem["kind"], caught: Caught): ReportedProblem {
  return { tool, kind, problem: composeProblem(caught) };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function field(value: unknown, name: string): unknown {
  // Any object may be asked for any name.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** JUnit XML in the shapes that many runners write, or Checkstyle's. */
function readXmlReport(text: string): readonly ReportedProblem[] | undefined {
  if (/<checkstyle[\s>]/.test(text)) return elements(text, "file").flatMap(checkstyleFile);
  if (/<testsuites?[\s>]/.test(text)) return elements(text, "testcase").flatMap(junitCase);
  return undefined;
}

interface Element {
  readonly attributes: Readonly<Record<string, string>>;
  /** What stands up to its end, still as XML. */
  readonly inner: string;
}

function junitCase({ attributes, inner }: Element): readonly ReportedProblem[] {
  const [failure] = [...elements(inner, "failure"), ...elements(inner, "error")];
  if (failure === undefined) return [];
  const { classname = "", name = "", file, line } = attributes;
  const body = `${failure.attributes["message"] ?? ""}\n${textIn(failure.inner)}`.trim().split("\n");
  const caught = readFailureBody(body, {
    testFile: file,
    innermostLast: /Traceback|\.py:\d+:/.test(failure.inner),
  });
  const test =
    [classname, name].filter((part) => part !== "" && !name.startsWith(classname)).join(" ") || name;
  const problem = composeProblem({ ...caught, test, file: caught.file ?? file, line: caught.line ?? line });
  return [{ tool: "junit", kind: "test", problem }];
}

function checkstyleFile({ attributes, inner }: Element): readonly ReportedProblem[] {
  return elements(inner, "error").map(({ attributes: error }) => ({
    tool: "checkstyle",
    kind: "lint",
    problem: composeProblem({ ...error, file: attributes["name"], code: error["source"] }),
  }));
}

/** Every element of a name, found without a grammar: reports are flat and never nest an element in itself. */
function elements(xml: string, name: string): readonly Element[] {
  return xml
    .split(new RegExp(String.raw`<${name}(?=[\s/>])`))
    .slice(1)
    .map((part) => {
      const end = endOfTag(part);
      const tag = part.slice(0, end);
      const close = tag.endsWith("/") ? end : part.indexOf(`</${name}>`, end);
      return { attributes: attributesOf(tag), inner: part.slice(end + 1, close === -1 ? undefined : close) };
    });
}

/** The first `>` outside quotes. */
function endOfTag(part: string): number {
  const tag = /^(?:[^>"']|"[^"]*"|'[^']*')*/.exec(part)?.[0] ?? "";
  return tag.length;
}

function attributesOf(tag: string): Readonly<Record<string, string>> {
  const found = tag.matchAll(/([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries(
    [...found].map(([, key = "", one, other]) => [key, unescaped(one ?? other ?? "")]),
  );
}

function textIn(xml: string): string {
  const plain = xml.replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, text: string) =>
    text.replace(/[<>&]/g, entity),
  );
  return unescaped(plain.replace(/<[^>]*>/g, ""));
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function entity(character: string): string {
  const [name = "amp"] = Object.entries(ENTITIES).find(([, value]) => value === character) ?? [];
  return `&${name};`;
}

function unescaped(text: string): string {
  return text.replace(/&(?:#x[\da-f]{1,6}|#\d{1,7}|\w{2,4});/gi, (all) => {
    const name = all.slice(1, -1);
    if (!name.startsWith("#")) return ENTITIES[name] ?? all;
    const code = Number(name.replace(/^#x/i, "0x").replace("#", ""));
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
  });
}
