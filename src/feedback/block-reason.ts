import { type GateOutcome, missingPrograms, describeOutcome, isOutOfReach } from "../gates/outcome.ts";
import { type Draft, digestGates } from "./digest.ts";
import { visibleText, visibleName, FENCE_CHARS, inFence } from "./text/clean-text.ts";
import { cutText } from "./text/cut-text.ts";
import { type ReviewReport, type Finding, describeFinding } from "../gates/review/finding.ts";

/** A failed gate and what it said. */
interface FailureText {
  readonly outcome: GateOutcome;
  readonly draft: Draft;
  /** The agent has read exactly this before. */
  readonly isUnchanged: boolean;
}

export interface BlockReasonFacts {
  readonly failures: readonly FailureText[];
  readonly gatesRun: number;
  /** Absent where asking costs nothing. */
  readonly attemptsLeft: number | undefined;
  /** The next stop is let through unchecked (`stop_hook.when_active: allow`). */
  readonly isNextStopFree: boolean;
  /** What was changed before the gates ran, in words. */
  readonly fixes?: readonly string[] | undefined;
}

/** What an agent reads when its stop is blocked: what failed, why, where the rest is, and what to do now. */
export function blockReason(facts: BlockReasonFacts, maxChars: number): string {
  const fixes = (facts.fixes ?? []).map(
    (line) => `${visibleText(line)} Read these files again before you edit them.`,
  );
  const head = [headline(facts), ...facts.failures.map(failureLine), ...fixes].join("\n");
  const foot = nextSteps(facts);
  const changed = facts.failures.filter(({ isUnchanged }) => !isUnchanged);
  const advice = changed.map(({ outcome }) => fixAdvice(outcome, Math.floor(maxChars / 4 / changed.length)));
  const titles = changed.map(
    ({ outcome }) => `── ${visibleName(outcome.name)} (${visibleName(outcome.scope)}) ──`,
  );
  const fixed = [head, foot, ...advice, ...titles].reduce(
    (sum, part) => sum + part.length + 2,
    changed.length * FENCE_CHARS,
  );
  const digests = digestGates(
    changed.map(({ draft }) => draft),
    Math.max(0, maxChars - fixed),
  );
  const sections = changed.map((_, index) =>
    [titles[index], inFence(visibleText(digests[index] ?? "")), advice[index]].filter(Boolean).join("\n"),
  );
  return cutText([head, ...sections, foot].join("\n\n"), maxChars);
}

function headline({ failures, gatesRun }: BlockReasonFacts): string {
  const missing = missingPrograms(failures.map(({ outcome }) => outcome)).map((program) => `\`${program}\``);
  const verb = missing.length === 1 ? "is" : "are";
  const why = missing.length === 0 ? "" : `; ${missing.join(", ")} ${verb} not installed here`;
  return `Gauntlet gates did not pass: ${failures.length} of ${gatesRun} failed${visibleText(why)}.`;
}

function failureLine({ outcome, isUnchanged }: FailureText): string {
  const where = outcome.scope === "." ? "" : ` in ${visibleName(outcome.scope)}`;
  const line = `- ${outcome.gate} "${visibleName(outcome.name)}"${where} ${visibleText(describeOutcome(outcome))}`;
  if (!isUnchanged) return line;
  const log = outcome.logPath === undefined ? "" : `, full log: ${outcome.logPath}`;
  return `${line}, with the same output as last time: what you changed did not help (see the previous message${log})`;
}

function fixAdvice(outcome: GateOutcome, maxChars: number): string {
  const { fixInstructions, review } = outcome;
  if (review !== undefined && review.sheets.length > 0)
    return outcome.gate === "guard" ? guardAdvice(review) : answerAdvice(review);
  return fixInstructions === undefined
    ? ""
    : `How this project wants it fixed:\n${cutText(visibleText(fixInstructions.trim()), maxChars)}`;
}

function nextSteps({ failures, attemptsLeft, isNextStopFree }: BlockReasonFacts): string {
  const honest =
    "Do not disable, skip or weaken a gate or a test to get past it. If a gate itself is wrong, tell the user instead.";
  if (failures.every(({ outcome }) => isOutOfReach(outcome)))
    return [
      `What to do now: this is not a fault in the code. Fix it if you can, by installing a program for example, otherwise tell the user; the next stop is not ${isNextStopFree ? "checked" : "blocked for it"}.`,
      honest,
    ].join("\n");
  if (isNextStopFree)
    return [
      "What to do now: fix the causes above, then run `agent-gauntlet run` yourself before you stop: the next stop is not checked.",
      honest,
    ].join("\n");
  return [
    "What to do now: fix the causes above, then stop again; the gates run again automatically when you stop.",
    honest,
    ...(attemptsLeft === undefined ? [] : [attemptsWords(attemptsLeft)]),
  ].join("\n");
}

function attemptsWords(left: number): string {
  return left === 0
    ? "This was the last attempt: if the gates still fail at the next stop, it is let through and the user is notified."
    : `Attempts left: ${left}.`;
}

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
function answerAdvice({ sheets }: ReviewReport): string {
  return [
    `These are a reviewer's findings. Reviewers can be wrong: judge each one yourself, then answer it in ${sheets.join(" and ")}:`,
    '- fixed it: change the code, then set its "status" to "fixed" and say in "result" what you did;',
    '- it is wrong or not worth it: set its "status" to "skipped" and say in "result" why. The user will see your reason.',
    'Find a finding by its "id"; change nothing but "status" and "result". What is marked fixed is checked in the next run.',
  ].join("\n");
}

/** How an agent answers what a guard found: it is a fact, so only the reason is open. */
function guardAdvice({ sheets }: ReviewReport): string {
  return [
    "This is what your change does, compared with the commit it is measured from. Undo it and fix the cause instead.",
    `What the task itself calls for may stay: set its "status" to "skipped" in ${sheets.join(" and ")} and say in "result" why. The user will see your reason.`,
    'Find a finding by its "id"; change nothing but "status" and "result".',
  ].join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
