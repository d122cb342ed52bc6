import { type Caught, composeProblem } from "../parsers/compose.ts";
import { readFailureBody } from "../parsers/failure-body.ts";
import type { ReportedProblem } from "./read-structured.ts";

/** ESLint's JSON, SARIF, or the JSON of Jest and Vitest; `undefined` for any other. */
export function readJsonReport(text: string): readonly ReportedProblem[] | undefined {
  const value = parseJson(text);
  const [first] = list(value);
  if (field(first, "filePath") !== undefined) return list(value).flatMap(eslintFile);
  if (Array.isArray(field(value, "testResults"))) return list(field(value, "testResults")).flatMap(jestFile);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
