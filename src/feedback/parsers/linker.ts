import type { Log } from "../log.ts";
import type { Finding, Parser } from "./parser.ts";
import { headings, toFinding } from "./sections.ts";

/** GNU ld, gold and lld: a symbol nobody defines, or two do; with a line only where there is debug information. */
export const linker: Parser = { name: "linker", kind: "build", parse };

const UNRESOLVED =
  /^(?:\S*\bld(?:\.\w+)?: )?(?:error: )?(?<file>[^\s:]+\.\w+):(?:\(\.\w+[^)]*\)|(?<line>\d+)): (?<message>(?:undefined reference|multiple definition|undefined symbol).*)$/;

/** Such a line may begin with anything, so all that nobody has read are looked at. */
function parse({ lines }: Log, isRead: (line: number) => boolean): readonly Finding[] {
  const symbols: number[] = [];
  lines.forEach((line, index) => {
    if (isRead(index)) return;
    if (line.includes(": undefined ") || line.includes(": multiple ")) symbols.push(index);
  });
  return headings(lines, symbols, UNRESOLVED).map(toFinding(({ heading }) => heading));
}
