import type { PatternParser } from "../../core/gate.ts";
import type { Log } from "../log.ts";
import { readVerdict } from "../read-verdict.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";

/** The parser that a pattern stands for. Lines longer than any message are not tried, so that a careless pattern costs little. */
export function patternParser({ pattern, kind }: PatternParser): Parser {
  const shape = new RegExp(pattern, "u");
  return { name: "pattern", kind, parse };

  function parse({ lines }: Log): readonly Finding[] {
    return lines.flatMap((line, index) => {
      const groups = line.length > LONGEST_LINE ? undefined : shape.exec(line)?.groups;
      if (groups === undefined || (groups["file"] ?? groups["test"]) === undefined) return [];
      return [finding(() => describe(groups, line), index)];
    });
  }
}

const LONGEST_LINE = 2000;

function describe(groups: Readonly<Record<string, string | undefined>>, line: string) {
  const { severity, message } = groups;
  const said =
    message === undefined ? { message: line } : severity === undefined ? readVerdict(message) : { message };
  return { ...said, ...groups, message: said.message };
}
