import type { Findings } from "../core/baseline/baseline.ts";
import { cleanText } from "./text/clean-text.ts";
import { type GateText, hasUnread } from "./digest.ts";
import { findProblems, orderProblems } from "./find-problems.ts";
import { withShortPaths } from "./text/project-paths.ts";
import { unreadFailures } from "./informative-windows.ts";
import { fingerprint, withoutNoise } from "./problem.ts";

/** What is compared between two trees for a gate: its problems, what was not read, and its output in sum. */
export function readFindings(
  gate: GateText,
  hash: (text: string) => string,
): Pick<Findings, "problems" | "isAllRead" | "unread" | "output"> {
  const found = findProblems(gate);
  const problems = orderProblems(found.problems);
  const counts = found.log.counts();
  const isCut = CUT.test(gate.text);
  const place = { projectRoot: gate.projectRoot };
  const plain = (text: string): string => withoutNoise(withShortPaths(text, place).replaceAll(CLOCK, ""));
  return {
    problems: problems.map(({ excerpt: _excerpt, ...problem }) => ({ key: fingerprint(problem), problem })),
    isAllRead: !isCut && found.unread === 0 && !hasUnread({ found, problems }, counts),
    unread: unreadFailures(found.log.lines, found.isRead).map((line) => plain(line).replaceAll(/\d+/g, "0")),
    ...(isCut
      ? {}
      : { output: hash(cleanText(gate.text).split("\n").map(plain).filter(Boolean).join("\n")) }),
  };
}

/** What the log itself says where it was cut. */
const CUT = /^\[… \d+ bytes dropped …\]$/m;
const CLOCK = /\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b/g;
