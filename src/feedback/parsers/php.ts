import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";

/** PHP itself: `PHP Parse error: message in file on line N`. */
export const php: Parser = {
  name: "php",
  kind: "build",
  marks: ["PHP ", "Parse error", "Fatal error", "Warning: "],
  parse,
};

const ERROR =
  /^(?:PHP )?(?<severity>(?:Parse|Fatal|Recoverable fatal) error|Warning): +(?<message>.*?) in (?<file>\S+?)(?: on line |:)(?<line>\d+)$/;

function parse({ lines }: Log): readonly Finding[] {
  return lines.flatMap((line, index) => {
    const found = ERROR.exec(line)?.groups;
    return found === undefined ? [] : [finding(() => found, index)];
  });
}
