import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";

/** The Elixir compiler: errors in one line, warnings with their place on the next. */
export const elixir: Parser = {
  name: "elixir",
  kind: "build",
  marks: ["** (", "warning: ", "error: "],
  parse,
};

const ERROR = /^\*\* \((?<code>\w+)\) (?<file>\S+\.exs?):(?<line>\d+)(?::(?<column>\d+))?: (?<message>.*)$/;
const WARNING = /^(?<severity>warning|error): (?<message>\S.*)$/;
const PLACE = /^\s+(?:└─ )?(?<file>\S+\.exs?):(?<line>\d+)(?::(?<column>\d+))?(?:: .*)?$/;

function parse({ lines }: Log): readonly Finding[] {
  return lines.flatMap((line, index) => {
    const error = ERROR.exec(line)?.groups;
    if (error !== undefined) return [finding(() => error, index)];
    const warning = WARNING.exec(line)?.groups;
    const place = warning === undefined ? undefined : PLACE.exec(lines[index + 1] ?? "")?.groups;
    return place === undefined ? [] : [finding(() => ({ ...warning, ...place }), index, index + 2)];
  });
}
