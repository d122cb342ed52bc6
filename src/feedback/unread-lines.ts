import { cutText } from "./cut-text.ts";
import type { Problem } from "./problem.ts";

type IsRead = (line: number) => boolean;

/** What the tools themselves say in sum, `Found 412 errors in 30 files`: the last such lines, for they know what a cut log has lost. */
export function toolSummary(lines: readonly string[], isRead: IsRead): string {
  const start = Math.max(0, lines.length - SUMMARIES_WITHIN);
  const found = unreadMatching(lines.slice(start), (line) => isRead(start + line), SUMMARY).slice(
    -MOST_SUMMARIES,
  );
  return found.length === 0 ? "" : `In sum: ${found.join(" | ")}`;
}

/** Lines that plainly tell of trouble, that no parser understood and no listed problem explains: another tool may have failed too. */
export function unreadTrouble(lines: readonly string[], isRead: IsRead, listed: readonly Problem[]): string {
  const found = unreadMatching(lines, isRead, TROUBLE).filter(
    (line) => !SUMMARY.test(line) && !CONSEQUENCE.test(line),
  );
  const told = listed.flatMap(({ file, test, message }) => [file, lastName(test), message.slice(0, 30)]);
  const words = [...new Set(told)].filter((word) => word !== undefined && word.length > 3);
  const fresh = found
    .slice(0, MOST_LOOKED_AT)
    .filter((line) => !words.some((word) => line.includes(word ?? "")));
  const shown = [...fresh.slice(0, MOST_TROUBLES - 1), ...fresh.slice(MOST_TROUBLES - 1).slice(-1)];
  return shown.length === 0 ? "" : `Also in the log:\n${shown.map((line) => `    ${line}`).join("\n")}`;
}

function lastName(test: string | undefined): string | undefined {
  return test?.split(/ [>›] |::|\./).at(-1);
}

const LONGEST = 200;
const MOST_SUMMARIES = 3;
const SUMMARIES_WITHIN = 5000;
const MOST_TROUBLES = 6;
const MOST_LOOKED_AT = 100;

const SUMMARY =
  /\b[1-9]\d* (?:errors?|problems?|failed|failures?|failing|errored|offen[cs]es|violations?|issues?|tests? failed)\b|\b(?:failures|errors|failed|fail)[=:] ?[1-9]\d*\b/i;

/** That something failed, said by whoever called it. */
const CONSEQUENCE =
  /\b(?:exit(?:ed)?(?: with)?(?: status| code)|command failed|could not compile|test failed, to rerun|lifecycle script|Error \d+$|aborting due to|error occurred when checking)/i;

const TROUBLE =
  /^\s*(?:\[?(?:fatal|error|panic|FAIL|FAILED|ERROR|FATAL|Error)\]?\b[: ]|[✖✗✘×❌] |(?:Uncaught )?[A-Z]\w*(?:Error|Exception): )/;

function unreadMatching(lines: readonly string[], isRead: IsRead, shape: RegExp): readonly string[] {
  const found = lines.filter((line, index) => !isRead(index) && line.length < 1000 && shape.test(line));
  return [...new Set(found.map((line) => cutText(line.replace(/^[\s=]+|[\s=]+$/g, ""), LONGEST)))];
}
