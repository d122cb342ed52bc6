import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";

/** GNU ld, gold and lld: a symbol nobody defines, or two do; with a line only where there is debug information. */
export const linker: Parser = { name: "linker", kind: "build", marks: ["ld: ", ":(.text", "ld.lld"], parse };

const UNRESOLVED =
  /^(?:\S*\bld(?:\.\w+)?: )?(?:error: )?(?<file>[^\s:]+\.\w+):(?:\(\.\w+[^)]*\)|(?<line>\d+)): (?<message>(?:undefined reference|multiple definition|undefined symbol).*)$/;

function parse({ lines }: Log): readonly Finding[] {
  return lines.flatMap((line, index) => {
    const found = UNRESOLVED.exec(line)?.groups;
    return found === undefined ? [] : [finding(() => found, index)];
  });
}
