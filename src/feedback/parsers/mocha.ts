import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import type { Section } from "./sections.ts";
import { sections } from "./sections.ts";

/** Mocha (and Cypress): numbered failures after `N failing`, each with its nested title. */
export const mocha: Parser = { name: "mocha", kind: "test", marks: [" failing"], parse };

const NUMBERED = /^\s{2}(?<number>\d+)\) (?<title>.+)$/;
const LONGEST_TITLE = 8;

function parse({ lines }: Log): readonly Finding[] {
  const start = lines.findLastIndex((line) => /^\s*\d+ failing$/.test(line));
  if (start === -1) return [];
  return sections(lines.slice(start), NUMBERED, /^\S/).flatMap((section) => failure(section, start));
}

/** The title goes on, one name for each line, up to the line that ends with a colon. */
function failure({ heading, body, from, to }: Section, offset: number): readonly Finding[] {
  const last = body.findIndex((line) => /:\s*$/.test(line));
  const single = heading["title"]?.endsWith(":") === true;
  if (!single && (last === -1 || last > LONGEST_TITLE)) return [];
  const names = [heading["title"] ?? "", ...(single ? [] : body.slice(0, last + 1))];
  const test = names
    .map((name) => name.trim())
    .join(" > ")
    .replace(/:$/, "");
  const caught = readFailureBody(body.slice(single ? 0 : last + 1));
  const inMessage = /\((?<file>\/\S+\.[cm]?[jt]sx?)\)$/.exec(caught.message ?? "")?.groups?.["file"];
  return [finding({ ...caught, file: caught.file ?? inMessage, test }, offset + from, offset + to)];
}
