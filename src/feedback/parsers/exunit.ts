import type { Log } from "../log.ts";
import type { Caught } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { type Section, sections, toFinding } from "./sections.ts";

/** Elixir's ExUnit: `1) test name (Module)` with the test's place on the next line. */
export const exunit: Parser = { name: "exunit", kind: "test", parse };

const NUMBERED = /^\s{2}\d+\) (?:test|property|doctest) (?<test>.+) \((?<module>[\w.]+)\)$/;
const END = /^(?:Finished in |\.+$)/;

function parse({ lines, numbered }: Log): readonly Finding[] {
  return sections(lines, numbered, { start: NUMBERED, end: END }).map(toFinding(describe));
}

function describe({ heading, body }: Section): Caught {
  const place = /^\s+(?<file>\S+\.exs):(?<line>\d+)$/.exec(body[0] ?? "")?.groups;
  const own = body.slice(place === undefined ? 0 : 1).filter((line) => !/^\s+stacktrace:$/.test(line));
  const caught = readFailureBody(own, { testFile: place?.["file"] });
  const definedAt = place === undefined ? "" : ` (test at ${place["file"]}:${place["line"]})`;
  return { ...caught, test: heading["test"], message: `${caught.message}${definedAt}` };
}
