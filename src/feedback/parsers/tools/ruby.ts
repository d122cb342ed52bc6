import type { Log } from "../../log.ts";
import type { Caught, Finding, Parser } from "../parser.ts";
import { readFailureBody } from "../failure-body.ts";
import { type Section, headings, lastBefore, sections, toFinding } from "../sections.ts";

/** RSpec: numbered failures with `Failure/Error:`; pending examples look the same and are not failures. */
export const rspec: Parser = { name: "rspec", kind: "test", parse };

const PART = /^(?<part>Failures|Pending):/;
const NUMBERED = /^\s{2}\d+\) (?<test>.+)$/;
const END = /^(?:Failures:|Pending: |Finished in |Failed examples:|Top \d+ )/;
const OUTSIDE = /^An error occurred (?:while loading (?<file>\S+?)\.?(?: .*)?|in .*)$/;

function parse({ lines, numbered, beginning }: Log): readonly Finding[] {
  if (beginning("Failure/Error:").length === 0) return [];
  const parts = headings(lines, beginning("Failures:", "Pending:"), PART);
  const examples = sections(lines, numbered, { start: NUMBERED, end: END }).filter(
    ({ from }) => lastBefore(parts, from)?.heading["part"] !== "Pending",
  );
  const outside = sections(lines, beginning("An error occurred "), { start: OUTSIDE, end: END });
  return [...examples, ...outside]
    .filter(({ body }) => body.some((line) => line.includes("Failure/Error:")))
    .map(toFinding(describe));
}

function describe({ heading, body }: Section): Caught {
  const start = body.findIndex((line) => line.includes("Failure/Error:"));
  const source = (body[start] ?? "").replace(/^.*?Failure\/Error:\s*/, "");
  const {
    message = "",
    excerpt = [],
    ...place
  } = readFailureBody(body.slice(start + 1), { testFile: heading["file"] });
  const [second = "", ...rest] = typeof excerpt === "string" ? [] : excerpt;
  return {
    ...place,
    test: heading["test"],
    message: `${message} ${second}`,
    excerpt: [`> ${source}`, ...rest],
  };
}
