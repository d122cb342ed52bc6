import type { Log } from "../log.ts";
import type { Caught } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { type Section, sections, toFinding } from "./sections.ts";

/** Mocha (and Cypress): numbered failures after `N failing`, each with its nested title. */
export const mocha: Parser = { name: "mocha", kind: "test", parse };

const NUMBERED = /^\s{2}\d+\) (?<title>.+)$/;
const LONGEST_TITLE = 8;
/** Assertion messages may stand at the margin; what other programs print ends the last failure. */
const END = /^(?:npm (?:error|ERR!)|error |> |=+ )/;

function parse({ lines, numbered }: Log): readonly Finding[] {
  const start = numbered.findLastIndex((line) => /^\s*\d+ failing$/.test(lines[line] ?? ""));
  if (start === -1) return [];
  return sections(lines, numbered.slice(start), { start: NUMBERED, end: END })
    .filter((section) => endOfTitle(section) >= 0)
    .map(toFinding(describe));
}

/** The title goes on, one name for each line, up to a line that ends with a colon; -1 where none does. */
function endOfTitle({ heading, body }: Section): number {
  if (heading["title"]?.endsWith(":") === true) return 0;
  const end = body.findIndex((line) => /:\s*$/.test(line)) + 1;
  return end === 0 || end > LONGEST_TITLE ? -1 : end;
}

function describe(section: Section): Caught {
  const { heading, body } = section;
  const titleEnd = endOfTitle(section);
  const names = [heading["title"] ?? "", ...body.slice(0, titleEnd)].map((name) => name.trim());
  const caught = readFailureBody(body.slice(titleEnd));
  const inMessage = /\((?<file>\/\S+\.[cm]?[jt]sx?)\)$/.exec(caught.message ?? "")?.groups?.["file"];
  return { ...caught, file: caught.file ?? inMessage, test: names.join(" > ").replace(/:$/, "") };
}
