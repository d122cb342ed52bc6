import type { Findings } from "./compare-findings.ts";
import { lineOfEarlyEnd } from "./early-end.ts";
import { countTests } from "../../feedback/count-tests.ts";
import { cleanText } from "../../feedback/text/clean-text.ts";
import { type GateText, hasUnread } from "../../feedback/digest.ts";
import { findProblems, orderProblems } from "../../feedback/find-problems.ts";
import { withShortPaths } from "../../feedback/text/project-paths.ts";
import { namesLimit, unreadFailures } from "../../feedback/informative-windows.ts";
import { fingerprint, withoutNoise } from "../../feedback/problem.ts";

export function readFindings(gate: GateText, hash: (text: string) => string): Omit<Findings, "ended"> {
  const found = findProblems(gate);
  const problems = orderProblems(found.problems);
  const counts = found.log.counts();
  const isCut = CUT.test(gate.text);
  const place = { projectRoot: gate.projectRoot };
  const plain = (text: string): string => withoutNoise(withShortPaths(text, place).replaceAll(CLOCK, ""));
  const lines = found.log.lines.slice(0);
  return {
    problems: problems.map(({ excerpt: _excerpt, ...problem }) => ({ key: fingerprint(problem), problem })),
    isAllRead: !isCut && found.unread === 0 && !hasUnread({ found, problems }, counts),
    unread: unreadFailures(found.log.lines, found.isRead).map((line) =>
      namesLimit(line) ? plain(line) : plain(line).replaceAll(/\d+/g, "0"),
    ),
    ran: countTests(lines),
    endedEarly: lineOfEarlyEnd(lines),
    output: isCut ? undefined : hash(cleanText(gate.text).split("\n").map(plain).filter(Boolean).join("\n")),
  };
}

/** The line that a log has where it was cut. */
const CUT = /^\[… \d+ bytes dropped …\]$/m;
const CLOCK = /\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b/g;
