import type { Log } from "../../log.ts";
import { type Caught, type Finding, type Parser, finding } from "../parser.ts";
import { type Section, headings, toFinding, sections } from "../sections.ts";
import { readFailureBody } from "../failure-body.ts";

/** The Elixir compiler: errors in one line, warnings with their place on the next. */
export const elixir: Parser = { name: "elixir", kind: "build", parse: parseElixir };

const ERROR = /^\*\* \((?<code>\w+)\) (?<file>\S+\.exs?):(?<line>\d+)(?::(?<column>\d+))?: (?<message>.*)$/;
const WARNING = /^(?<severity>warning|error): (?<message>\S.*)$/;
const PLACE = /^\s+(?:└─ )?(?<file>\S+\.exs?):(?<line>\d+)(?::(?<column>\d+))?(?:: .*)?$/;

function parseElixir({ lines, beginning }: Log): readonly Finding[] {
  const errors = headings(lines, beginning("** ("), ERROR);
  const warnings = headings(lines, beginning("warning: ", "error: "), WARNING);
  return [
    ...errors.map(toFinding(({ heading }) => heading)),
    ...warnings
      .filter(({ to }) => PLACE.test(lines.at(to)))
      .map((warning) =>
        finding(() => describeElixir(warning, lines.at(warning.to)), warning.from, warning.to + 1),
      ),
  ];
}

function describeElixir({ heading }: Section, below: string): Caught {
  return { ...heading, ...PLACE.exec(below)?.groups };
}

/** Elixir's ExUnit: `1) test name (Module)` with the test's place on the next line. */
export const exunit: Parser = { name: "exunit", kind: "test", parse: parseExunit };

const NUMBERED = /^\s{2}\d+\) (?:test|property|doctest) (?<test>.+) \((?<module>[\w.]+)\)$/;
const END = /^(?:Finished in |\.+$)/;

function parseExunit({ lines, numbered }: Log): readonly Finding[] {
  return sections(lines, numbered, { start: NUMBERED, end: END }).map(toFinding(describeExunit));
}

function describeExunit({ heading, body }: Section): Caught {
  const place = /^\s+(?<file>\S+\.exs):(?<line>\d+)$/.exec(body[0] ?? "")?.groups;
  const own = body.slice(place === undefined ? 0 : 1).filter((line) => !/^\s+stacktrace:$/.test(line));
  const caught = readFailureBody(own, { testFile: place?.["file"] });
  const definedAt = place === undefined ? "" : ` (test at ${place["file"]}:${place["line"]})`;
  return { ...caught, test: heading["test"], message: `${caught.message}${definedAt}` };
}
