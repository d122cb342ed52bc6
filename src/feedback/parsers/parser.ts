import type { Log } from "../log.ts";
import type { Problem } from "../problem.ts";
import type { PatternParser } from "../../core/gate.ts";
import { readVerdict } from "../read-verdict.ts";
import { finding } from "./compose.ts";

/** Reads the failures of one tool out of a log. Pure: the same log always gives the same findings. */
export interface Parser {
  /** As in `parser: <name>` of a check. */
  readonly name: string;
  readonly kind: FindingKind;
  /** `isRead` says which lines an earlier parser has understood; reading them again does no harm, it only costs time. */
  readonly parse: (log: Log, isRead: (line: number) => boolean) => readonly Finding[];
}

/** In the order of repair: what does not build hides the rest. */
export type FindingKind = "build" | "lint" | "test";

/** Lines that a parser understood, which no later parser reads again. */
export interface Finding {
  /** Index of the first line. */
  readonly from: number;
  /** Index after the last line. */
  readonly to: number;
  /**
   * The problem they tell of: read only when it is wanted, for a log may hold a hundred thousand. Absent where the lines only look like
   * a problem, as the output of a passing test may.
   */
  readonly read?: () => Problem;
}

/** The parser that a pattern stands for. Lines longer than any message are not tried, so that a careless pattern costs little. */
export function patternParser({ pattern, kind }: PatternParser): Parser {
  const shape = new RegExp(pattern, "u");
  return { name: "pattern", kind, parse };

  function parse({ lines }: Log): readonly Finding[] {
    return lines.slice(0).flatMap((line, index) => {
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
