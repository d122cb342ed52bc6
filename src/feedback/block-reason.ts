import { type GateOutcome, missingPrograms, describeOutcome, isOutOfReach } from "../gates/outcome.ts";
import { type Draft, digestGates } from "./digest.ts";
import { visibleText, visibleName, FENCE_CHARS, inFence } from "./text/clean-text.ts";
import { cutText } from "./text/cut-text.ts";
import { type ReviewReport, type Finding, describeFinding } from "../gates/review/finding.ts";

interface FailureText {
  readonly outcome: GateOutcome;
  readonly draft: Draft;
  /** The agent has read exactly this before. */
  readonly isUnchanged: boolean;
  /** No problem was read in its log: the log itself is shown. */
  readonly isLog?: boolean;
}

export interface BlockReasonFacts {
  readonly failures: readonly FailureText[];
  readonly gatesRun: number;
  /** The blocks given for this prompt, this one included. */
  readonly attempt: number;
  /** Absent if a block costs nothing. */
  readonly attemptsLeft: number | undefined;
  /** The next stop is not checked (`stop_hook.when_active: allow`). */
  readonly isNextStopFree: boolean;
  readonly fixes?: readonly string[] | undefined;
}

/** What an agent reads when its stop is blocked: the verdict, what to do, every problem, and what is left of the budget. */
export function blockReason(facts: BlockReasonFacts, maxChars: number): string {
  const { failures } = facts;
  const fixes = (facts.fixes ?? []).map(
    (line) => `${visibleText(line)} Read these files again before you edit them.`,
  );
  const head = [verdict(facts), nextStep(facts), ...fixes].join("\n");
  const foot = [honestLine(failures), ...attemptsLine(facts)].join("\n");
  const advice = failures.map(({ outcome }) =>
    fixAdvice(outcome, Math.floor(maxChars / 4 / failures.length)),
  );
  const titles = failures.map(sectionTitle);
  const fixed = [head, foot, ...advice, ...titles].reduce(
    (sum, part) => sum + part.length + 2,
    failures.length * (FENCE_CHARS + NOT_THE_CHANGE.length),
  );
  const digests = digestGates(failures.map(draftOf), Math.max(0, maxChars - fixed));
  const sections = failures.map((_, index) =>
    [
      titles[index],
      inFence(visibleText(digests[index] ?? "")),
      ENVIRONMENT.test(digests[index] ?? "") ? NOT_THE_CHANGE : "",
      advice[index],
    ]
      .filter(Boolean)
      .join("\n"),
  );
  const room = maxChars - foot.length - 2;
  return cutText(`${cutText([head, ...sections].join("\n\n"), room)}\n\n${foot}`, maxChars);
}

const NOT_THE_CHANGE = "This looks like the environment, not the change: tell the user.";

/** No network, a port in use, a full disk, no Docker daemon, no browser for Playwright. */
const ENVIRONMENT =
  /\b(?:getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|Could not resolve host|Temporary failure in name resolution|Network is unreachable|EADDRINUSE|[Aa]ddress already in use|ENOSPC|No space left on device|Cannot connect to the Docker daemon)\b|Executable doesn't exist at .*ms-playwright/;

/** `Gauntlet gates did not pass: test, types in web (2 of 3).` */
function verdict({ failures, gatesRun }: BlockReasonFacts): string {
  const names = failures.map(({ outcome }) => nameInScope(outcome));
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  const missing = missingPrograms(failures.map(({ outcome }) => outcome)).map((program) => `\`${program}\``);
  const verb = missing.length === 1 ? "is" : "are";
  const why = missing.length === 0 ? "" : `; ${missing.join(", ")} ${verb} not installed here`;
  return `Gauntlet gates did not pass: ${names.slice(0, MOST_NAMED).join(", ")}${more} (${failures.length} of ${gatesRun})${visibleText(why)}.`;
}

const MOST_NAMED = 10;

function nameInScope({ name, scope }: GateOutcome): string {
  return scope === "." ? visibleName(name) : `${visibleName(name)} in ${visibleName(scope)}`;
}

function sectionTitle({ outcome, isUnchanged, isLog }: FailureText): string {
  const same = `, same ${isLog === true ? "output" : "failure"} as before`;
  return `── ${nameInScope(outcome)} ${visibleText(describeOutcome(outcome))}${isUnchanged ? same : ""} ──`;
}

/** A log that the agent has read before is shown again, shorter: the message with it may be lost to a compaction. */
function draftOf({ draft, isUnchanged, isLog }: FailureText): Draft {
  if (!isUnchanged || isLog !== true) return draft;
  return (budget) => draft(Math.min(budget, KNOWN_LOG_CHARS));
}

const KNOWN_LOG_CHARS = 1500;

function fixAdvice(outcome: GateOutcome, maxChars: number): string {
  const { fixInstructions, review } = outcome;
  if (review !== undefined && review.sheets.length > 0)
    return outcome.gate === "guard" ? guardAdvice(review) : answerAdvice(review);
  return fixInstructions === undefined
    ? ""
    : `How this project wants it fixed:\n${cutText(visibleText(fixInstructions.trim()), maxChars)}`;
}

function nextStep({ failures, isNextStopFree }: BlockReasonFacts): string {
  if (failures.every(({ outcome }) => isOutOfReach(outcome))) {
    const hasMissing = missingPrograms(failures.map(({ outcome }) => outcome)).length > 0;
    const how = hasMissing ? " (dependencies of the project: `npm ci` or the like)" : "";
    const next = isNextStopFree ? " The next stop is not checked." : "";
    return `What to do now: this is not a fault in the code. Install what is missing if you can${how}, otherwise tell the user.${next}`;
  }
  return isNextStopFree
    ? "What to do now: fix these, then run `agent-gauntlet run` before you stop; the next stop is not checked."
    : "What to do now: fix these, then stop again; the gates run again automatically.";
}

/** A finding of a guard or a review has an answer of its own, so this does not forbid it. */
function honestLine(failures: readonly FailureText[]): string {
  const isAnswerable = failures.some(({ outcome }) => outcome.review !== undefined);
  const verbs = isAnswerable ? "disable or weaken" : "disable, skip or weaken";
  return `Do not ${verbs} a gate or a test to get past it. If a gate itself is wrong, tell the user instead.`;
}

function attemptsLine({
  failures,
  attempt,
  attemptsLeft: left,
  isNextStopFree,
}: BlockReasonFacts): readonly string[] {
  if (left === undefined || isNextStopFree) return [];
  if (failures.every(({ outcome }) => isOutOfReach(outcome))) return [];
  const count = `Attempt ${attempt} of ${attempt + left}`;
  return left === 0
    ? [`${count}. If you cannot fix it, stop and tell the user what still fails and why.`]
    : [`${count}: you can be sent back ${left} more ${left === 1 ? "time" : "times"}.`];
}

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
    `If the task itself asks for it, answer in ${sheets.join(" and ")}: find the finding by its "id", set its "status" to "skipped" and give the reason in "result". The user reads your reason.`,
  ].join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
