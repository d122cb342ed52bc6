import { parseJson } from "../../core/json.ts";
import { type Caught, composeProblem } from "../parsers/parser.ts";
import { cleanText } from "../text/clean-text.ts";

import { readFailureBody } from "../parsers/failure-body.ts";
import type { ReportedProblem } from "./read-structured.ts";

/** ESLint's JSON, SARIF, or the JSON of Jest and Vitest, Playwright, pytest and cargo; `undefined` for any other. */
export function readJsonReport(text: string): readonly ReportedProblem[] | undefined {
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
