import type { Log } from "../log.ts";
import type { Problem } from "../problem.ts";

/** Reads the failures of one tool out of a log. Pure: the same log always gives the same findings. */
export interface Parser {
  /** As in `parser: <name>` of a check. */
  readonly name: string;
  readonly kind: FindingKind;
  /** The parser is tried only on a text that has one of these: a cheap look before the lines are walked. */
  readonly marks: readonly string[];
  readonly parse: (log: Log) => readonly Finding[];
}

/** In the order of repair: what does not build hides the rest. */
export type FindingKind = "build" | "lint" | "test";

/** A problem and the lines of the log it was read from, which no later parser reads again. */
export interface Finding {
  readonly problem: Problem;
  /** Index of the first line. */
  readonly from: number;
  /** Index after the last line. */
  readonly to: number;
}
