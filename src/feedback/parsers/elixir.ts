import type { Log } from "../log.ts";
import { type Caught, finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { type Section, headings, toFinding } from "./sections.ts";

/** The Elixir compiler: errors in one line, warnings with their place on the next. */
export const elixir: Parser = { name: "elixir", kind: "build", parse };

const ERROR = /^\*\* \((?<code>\w+)\) (?<file>\S+\.exs?):(?<line>\d+)(?::(?<column>\d+))?: (?<message>.*)$/;
const WARNING = /^(?<severity>warning|error): (?<message>\S.*)$/;
const PLACE = /^\s+(?:└─ )?(?<file>\S+\.exs?):(?<line>\d+)(?::(?<column>\d+))?(?:: .*)?$/;

function parse({ lines, beginning }: Log): readonly Finding[] {
  const errors = headings(lines, beginning("** ("), ERROR);
  const warnings = headings(lines, beginning("warning: ", "error: "), WARNING);
  return [
    ...errors.map(toFinding(({ heading }) => heading)),
    ...warnings
      .filter(({ to }) => PLACE.test(lines[to] ?? ""))
      .map((warning) =>
        finding(() => describe(warning, lines[warning.to] ?? ""), warning.from, warning.to + 1),
      ),
  ];
}

function describe({ heading }: Section, below: string): Caught {
  return { ...heading, ...PLACE.exec(below)?.groups };
}
