import { describeFinding, type Finding, type ReviewReport } from "../core/review/finding.ts";

/** The open findings of a review with what to do about each, most urgent first, as many as fit. */
export function tellFindings({ open, sheets }: ReviewReport, budgetChars: number): string {
  const texts = open.map(findingText);
  const more = (count: number): string => `… and ${count} more, in ${sheets.join(" and ")}`;
  let room = budgetChars - more(texts.length).length;
  const fitting = texts.findIndex((text) => (room -= text.length + 1) < 0);
  if (fitting === -1 || texts.join("\n").length <= budgetChars) return texts.join("\n");
  return [...texts.slice(0, fitting), more(texts.length - fitting)].join("\n");
}

function findingText(finding: Finding): string {
  const { id, fix, result } = finding;
  return [
    `${describeFinding(finding)} [${id}]`,
    ...(fix.trim() === "" ? [] : [`  fix: ${oneLine(fix)}`]),
    ...(result.trim() === "" ? [] : [`  last round: ${oneLine(result)}`]),
  ].join("\n");
}

/** How an agent answers findings. Reviewers are often right and sometimes wrong, so both answers are open to it. */
export function answerAdvice({ sheets }: ReviewReport): string {
  return [
    `These are a reviewer's findings. Reviewers can be wrong: judge each one yourself, then answer it in ${sheets.join(" and ")}:`,
    '- fixed it: change the code, then set its "status" to "fixed" and say in "result" what you did;',
    '- it is wrong or not worth it: set its "status" to "skipped" and say in "result" why. The user will see your reason.',
    'Find a finding by its "id"; change nothing but "status" and "result". What is marked fixed is checked in the next run.',
  ].join("\n");
}

/** How an agent answers what a guard found: it is a fact, so only the reason is open. */
export function guardAdvice({ sheets }: ReviewReport): string {
  return [
    "This is what your change does, compared with the commit it is measured from. Undo it and fix the cause instead.",
    `What the task itself calls for may stay: set its "status" to "skipped" in ${sheets.join(" and ")} and say in "result" why. The user will see your reason.`,
    'Find a finding by its "id"; change nothing but "status" and "result".',
  ].join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
