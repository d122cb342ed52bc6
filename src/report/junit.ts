import { describeOutcome, type GateOutcome, isRed } from "../gates/outcome.ts";
import { problemBlock, problemPlace, type Problem } from "../feedback/problem.ts";
import { failuresIn, type RunReport } from "./run-report.ts";

/** JUnit XML as CI servers read it: a suite for each gate, in it a case for each problem, or one for the gate itself. */
export function junitReport(report: RunReport): string {
  const suites = report.outcomes.map((outcome) => suite(outcome, report));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: "agent-gauntlet" }, suites)}\n`;
}

const LONGEST_BODY = 4000;

function suite(outcome: GateOutcome, report: RunReport): string {
  const told = isRed(outcome) ? failuresIn(report, outcome) : [];
  const cases = told.length > 0 ? told.map((problem) => problemCase(outcome, problem)) : [gateCase(outcome)];
  const isError = outcome.kind === "errored";
  return element(
    "testsuite",
    {
      name: outcome.id,
      tests: cases.length,
      failures: isRed(outcome) && !isError ? cases.length : 0,
      errors: isError ? 1 : 0,
      skipped: isSkipped(outcome) ? 1 : 0,
      time: (outcome.durationMs / 1000).toFixed(3),
    },
    [...baselineProperties(outcome), ...cases],
  );
}

/** What was there before does not fail a case; the suite says how much it is. */
function baselineProperties({ baseline }: GateOutcome): readonly string[] {
  if (baseline === undefined) return [];
  const told =
    baseline.kind === "compared"
      ? { comparedWith: baseline.with, old: baseline.old.length, gone: baseline.gone.length }
      : { notCompared: baseline.why };
  const properties = Object.entries(told).map(([name, value]) =>
    element("property", { name: `gauntlet.baseline.${name}`, value }, []),
  );
  return [element("properties", {}, properties)];
}

function problemCase(outcome: GateOutcome, problem: Problem): string {
  const { test, code, message } = problem;
  const name = test ?? [problemPlace(problem), code ?? message].filter(Boolean).join(" ");
  const body = problemBlock(problem, LONGEST_BODY);
  const failure = element("failure", { message, type: code ?? problem.severity }, [escapeXml(body)]);
  return element("testcase", { name, classname: outcome.id }, [failure]);
}

function gateCase(outcome: GateOutcome): string {
  const attributes = {
    name: outcome.name,
    classname: outcome.id,
    time: (outcome.durationMs / 1000).toFixed(3),
  };
  const message = describeOutcome(outcome);
  if (outcome.kind === "errored") return element("testcase", attributes, [element("error", { message }, [])]);
  if (isRed(outcome)) return element("testcase", attributes, [element("failure", { message }, [])]);
  const skipped = element("skipped", {}, [escapeXml(message)]); // the older schema knows no attribute of it
  return element("testcase", attributes, isSkipped(outcome) ? [skipped] : []);
}

function isSkipped({ kind }: GateOutcome): boolean {
  return kind === "skipped" || kind === "cancelled" || kind === "unavailable";
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly string[],
): string {
  const tag = [
    name,
    ...Object.entries(attributes).map(([key, value]) => `${key}="${escapeXml(String(value))}"`),
  ];
  return children.length === 0 ? `<${tag.join(" ")}/>` : `<${tag.join(" ")}>${children.join("\n")}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** Characters that XML cannot hold, even escaped, are left out. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[<>&"\n]/g, (character) => ENTITIES[character] ?? "");
}
