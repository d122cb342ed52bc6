import type { Log } from "../log.ts";
import type { Finding, Parser } from "./parser.ts";
import { headings, toFinding } from "./sections.ts";

/** PHP itself: `PHP Parse error: message in file on line N`. */
export const php: Parser = { name: "php", kind: "build", parse };

const ERROR =
  /^(?:PHP )?(?<severity>(?:Parse|Fatal|Recoverable fatal) error|Warning): +(?<message>.*?) in (?<file>\S+?)(?: on line |:)(?<line>\d+)$/;

function parse({ lines, beginning }: Log): readonly Finding[] {
  return headings(lines, beginning("PHP ", "Parse ", "Fatal ", "Recoverable ", "Warning: "), ERROR).map(
    toFinding(({ heading }) => heading),
  );
}
