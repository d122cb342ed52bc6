import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import type { Section } from "./sections.ts";
import { sections } from "./sections.ts";

/** RSpec: numbered failures with `Failure/Error:`; pending examples look the same and are not failures. */
export const rspec: Parser = { name: "rspec", kind: "test", marks: ["Failure/Error:"], parse };

const NUMBERED = /^\s{2}\d+\) (?<test>.+)$/;
const END = /^(?:Failures:|Pending: |Finished in |Failed examples:|Top \d+ )/;
const OUTSIDE = /^An error occurred (?:while loading (?<file>\S+?)\.?(?: .*)?|in .*)$/;

function parse({ lines }: Log): readonly Finding[] {
  const pending = sections(lines, /^(?<pending>Pending): /, /^(?:Failures:|Finished in )/);
  const isPending = (index: number) => pending.some(({ from, to }) => from < index && index < to);
  return [
    ...sections(lines, NUMBERED, END)
      .filter(({ from }) => !isPending(from))
      .flatMap(failure),
    ...sections(lines, OUTSIDE, END).flatMap(failure),
  ];
}

function failure({ heading, body, from, to }: Section): readonly Finding[] {
  const start = body.findIndex((line) => /Failure\/Error:/.test(line));
  if (start === -1) return [];
  const source = (body[start] ?? "").replace(/^.*?Failure\/Error:\s*/, "");
  const caught = readFailureBody(body.slice(start + 1), { testFile: heading["file"] });
  const said = [caught.message ?? "", ...(typeof caught.excerpt === "string" ? [] : (caught.excerpt ?? []))];
  const message = said
    .slice(0, 2)
    .map((line) => line.trim())
    .join(" ")
    .replace(/ {2,}/g, " ");
  return [
    finding(
      { ...caught, test: heading["test"], message, excerpt: [`> ${source}`, ...said.slice(2)] },
      from,
      to,
    ),
  ];
}
