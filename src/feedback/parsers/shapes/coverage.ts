import type { Lines } from "../../text/lines.ts";
import type { Log } from "../../log.ts";
import { type Finding, type Parser, finding } from "../parser.ts";

/** What tools say when less of the code was run than is required: a sentence with numbers, seldom with a file. */
export const coverage: Parser = { name: "coverage", kind: "test", parse: parseCoverage };

const BEGINNINGS =
  "Jest: |ERROR: |FAIL |Coverage |Error: |ℹ Error: |# Error: |Line coverage|Branch coverage|Rule |[WARNING] Rule |[ERROR] Rule |[ant:|Code coverage|error : ".split(
    "|",
  );

const SENTENCES = [
  /^Jest: (?<message>.*\b[Cc]overage\b.*\b(?:threshold|not found)\b.*)$/,
  /^ERROR: (?<message>(?:Coverage for|Uncovered) .* threshold .*?)(?: for (?<file>\S+))?$/, // Vitest, c8, nyc
  /^FAIL (?<message>Required test coverage .*)$/, // pytest-cov
  /^(?:ERROR: )?(?<message>Coverage failure: .*)$/, // coverage.py
  /^(?:[ℹ#] )?Error: (?<message>[\d.]+% \w+ coverage does not meet threshold .*)$/, // node:test
  /^(?<message>(?:Line |Branch )?[Cc]overage .* below the expected minimum .*)$/, // SimpleCov
  /^(?:\[[\w:]+\] )?(?<message>Rule .*violated.*\bexpected m(?:in|ax)imum\b.*)$/, // JaCoCo, Kover
  /^(?<message>Coverage test failed, threshold not met:)$/, // ExUnit
  /^(?:FAIL +)?(?<message>Code coverage below expected .*)$/, // Pest
  /^[Ee]rror ?: "?(?<message>.*\b[Cc]overage is below .*?)"?$/, // coverlet, tarpaulin
] as const;

function parseCoverage({ lines, beginning }: Log): readonly Finding[] {
  const totals = beginning("| Total");
  return beginning(...BEGINNINGS).flatMap((from) => {
    const line = lines.at(from).trim();
    const found = SENTENCES.map((shape) => shape.exec(line)?.groups).find(Boolean);
    if (found === undefined) return [];
    const to = line.endsWith(":") ? endOfNumbers(lines, from + 1) : from + 1;
    const above = BELOW_TABLE.test(line) ? totals.findLast((total) => total < from) : undefined;
    const numbers = [...lines.slice(from + 1, to), above === undefined ? "" : lines.at(above)];
    const message = [found["message"], ...numbers.map((one) => one.trim())].filter(Boolean).join(" ");
    return [finding(() => ({ file: found["file"], code: "coverage", message }), from, to)];
  });
}

/** coverlet says how much is covered only in the table above. */
const BELOW_TABLE = /is below the specified \d/;

/** ExUnit has both numbers on lines of their own. */
function endOfNumbers(lines: Lines, start: number): number {
  let end = start;
  while (end < start + MOST_LINES && /^\s*$|^\s+\w+:\s+[\d.]+%$/.test(lines.at(end))) end += 1;
  return end;
}

const MOST_LINES = 5;
