import type { Log } from "../log.ts";
import type { PlacedText } from "../placed-text.ts";
import type { VerdictText } from "../read-verdict.ts";
import { isRemark, readVerdict } from "../read-verdict.ts";
import { frameAfter } from "./code-frame.ts";
import { finding } from "./compose.ts";
import type { Finding, FindingKind, Parser } from "./parser.ts";

/** A tool that prints one placed line for each problem, as most compilers and linters do. */
export interface PlacedTool {
  readonly name: string;
  readonly kind: FindingKind;
  readonly marks: readonly string[];
  /** Which placed lines are this tool's. */
  readonly says: (rest: string, placed: PlacedText) => boolean;
  /** Where the tool's own words need another reading. */
  readonly read?: (rest: string) => VerdictText;
}

/** The parser of such a tool. */
export function placedParser({ name, kind, marks, says, read = readVerdict }: PlacedTool): Parser {
  return { name, kind, marks, parse };

  function parse(log: Log): readonly Finding[] {
    const findings: Finding[] = [];
    for (const [index, placed] of log.placed) {
      if (placed.rest === "" || !says(placed.rest, placed)) continue;
      const { severity = placed.word, ...said } = read(placed.rest);
      const frame = frameAfter(log, index + 1);
      findings.push(finding({ ...placed, ...said, severity, excerpt: frame.lines }, index, frame.to));
    }
    return findings;
  }
}

/** `file:line:column: message` of tools nobody has described: everything placed that is not a mere remark. */
export const generic: Parser = placedParser({
  name: "generic",
  kind: "lint",
  marks: [":", "("],
  says: (rest) => !isRemark(rest) && /[A-Za-z]{2}/.test(rest),
});
