import {
  type GateOutcome,
  isBlocking,
  isOutOfReach,
  missingPrograms,
  nameOutcome,
} from "../gates/outcome.ts";
import type { StopEvent } from "../hosts/stop-event.ts";
import { displayPath } from "../path.ts";
import { type Diagnostic, diagnosticLine } from "../trouble.ts";
import { cutAtWord } from "../words.ts";
import type { RunResult } from "../run/result.ts";
import type { HiddenPath } from "../system/git/own-ignores.ts";
import type { IgnoreSettingsFile, Session, SessionChange } from "./session.ts";

/** What matters most to the user comes first: there is room for three lines. */
const RANKS = [
  "broken configuration",
  "tampering",
  "not checked",
  "weakened tests", // before the verdict that we gave up: it may be what made the rest pass
  "gave up",
  "skipped",
  "guards",
  "old problems",
  "configuration",
] as const;

/** Something that the user of a stop must know besides its status. */
export interface Notice {
  readonly rank: (typeof RANKS)[number];
  readonly text: string;
  /** Tells one fact from another: each is shown once per session. Without it, the notice is shown whenever it is given. */
  readonly key?: string;
  /** It can end: once it has, it is shown again when it is back. Such a notice is given at every stop for as long as it holds. */
  readonly isLasting?: boolean;
}

/** Where more is shown, nothing is read. */
const MAX_LINES = 3;
const MAX_LINE_CHARS = 400;

/** What the user is shown of the notices of a stop. */
export interface ShownNotices {
  readonly text?: string;
  /** Every line in full, if the text leaves something out: for `explain`. */
  readonly whole?: string;
  readonly remember: SessionChange;
}

/** Collects the notices of one stop, wherever they arise; the three lines that are shown are chosen here and nowhere else. */
export class Notices {
  readonly #all: Notice[] = [];

  add(...notices: readonly Notice[]): void {
    this.#all.push(...notices);
  }

  /** The worst first, each fact once per session. What does not fit does not count as shown. */
  choose(root: string, session: Session): ShownNotices {
    const known = keysShownIn(session, root);
    const fresh = RANKS.flatMap((rank) =>
      this.#all.filter((one) => one.rank === rank && (one.key === undefined || !known.includes(one.key))),
    );
    const lines = fresh.flatMap((notice) => linesOf(notice).map((line) => ({ notice, line })));
    const fits = lines.length <= MAX_LINES ? lines : lines.slice(0, MAX_LINES - 1);
    const cutOff = lines.slice(fits.length).map(({ notice }) => notice);
    const shown = fits.map(({ line }) => cutAtWord(line, MAX_LINE_CHARS));
    if (cutOff.length > 0)
      shown.push(`And ${cutOff.length} more: \`agent-gauntlet explain\` shows everything.`);
    const text = shown.join("\n");
    const whole = lines.map(({ line }) => line).join("\n");
    return {
      text: text === "" ? undefined : text,
      whole: text === whole ? undefined : whole,
      remember: this.#asShown(root, [...known, ...keysOf(fresh.filter((one) => !cutOff.includes(one)))]),
    };
  }

  /** A lasting notice that was not given at this stop has ended. */
  #asShown(root: string, shown: readonly string[]): SessionChange {
    const isShown = (key: string): boolean => shown.includes(key);
    const once = keysOf(this.#all.filter(({ isLasting }) => isLasting !== true)).filter(isShown);
    const lasting = keysOf(this.#all.filter(({ isLasting }) => isLasting === true)).filter(isShown);
    return (session) => ({
      ...session,
      shown: [...new Set([...session.shown, ...once])],
      lasting: [
        ...(session.lasting ?? []).filter((one) => one.root !== root),
        ...lasting.map((key) => ({ root, key })),
      ],
    });
  }
}

function keysOf(notices: readonly Notice[]): readonly string[] {
  return [...new Set(notices.flatMap(({ key }) => key ?? []))];
}

/** The keys of what need not be shown again at a stop in this project. */
function keysShownIn({ shown, lasting = [] }: Session, root: string): readonly string[] {
  return [...shown, ...lasting.filter((one) => one.root === root).map(({ key }) => key)];
}

/** A fact is one line; a notice without a key may have several. */
function linesOf({ key, text }: Notice): readonly string[] {
  if (key !== undefined) return [text.replaceAll(/\s*\n\s*/g, " ").trim()];
  return text.split("\n").filter((line) => line !== "");
}

/** What the result of a run itself has to tell. */
export function noticesOfResult(result: RunResult): readonly Notice[] {
  const { status, message, warnings } = result;
  const rest = warnings.map((text): Notice => ({ rank: "configuration", key: text, text }));
  if (status === "retry_limit_exceeded") return [{ rank: "gave up", text: giveUpText(result) }, ...rest];
  const remarks = result.outcomes.filter(isReviewWithRemark).map(nameOutcome);
  if (status === "passed_with_warnings" && remarks.length > 0)
    return [{ rank: "old problems", text: `Gauntlet: ${remarks.join("; ")}.` }, ...rest];
  if (result.kind === "troubled" && result.trouble.kind === "config-invalid")
    return [{ rank: "broken configuration", text: brokenConfiguration(result.trouble.diagnostics) }, ...rest];
  if (status === "error") {
    const text = isJudged(result) ? message : `${message}\nThe stop was not checked.`;
    return [{ rank: "not checked", text }, ...rest];
  }
  const held = result.kind === "troubled" && result.trouble.kind === "lock-held" ? result.trouble : undefined;
  const isOtherRun = held !== undefined && (held.heldBy !== "same-stop" || held.isUnrecorded === true);
  if (!isOtherRun) return rest;
  return [{ rank: "not checked", text: `${message}\nThe stop was not checked.` }, ...rest];
}

/** In one line, at the start of a session and at each stop: until it is repaired, nothing is checked. */
export function brokenConfiguration(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  const what = first === undefined ? "" : ` ${diagnosticLine(first)}${more}.`;
  return `Gauntlet: nothing is checked, because the configuration is not valid.${what} Run \`agent-gauntlet validate\`, then repair it.`;
}

/** Every gate has its outcome; what went wrong came after. */
function isJudged({ kind, outcomes }: RunResult): boolean {
  return kind === "ran" && !outcomes.some((one) => one.kind === "errored" || one.kind === "cancelled");
}

/** What a review let through is for the user to decide: skipped and open findings, and that no reviewer was available. */
function isReviewWithRemark(outcome: GateOutcome): boolean {
  return outcome.gate === "review" && (outcome.kind !== "passed" || outcome.warning !== undefined);
}

function giveUpText(result: RunResult): string {
  const { message, outcomes } = result;
  if (outcomes.length > 0 && outcomes.filter(isBlocking).every(isOutOfReach)) return message; // names them
  const handoff = result.kind === "ran" ? result.handoff : undefined;
  const failed = outcomes.filter(isBlocking).map(nameOutcome).join("; ");
  return [message, failed, handoff].filter(Boolean).join("\n");
}

/** For the user: the agent can seldom install anything. */
export function missingProgramNotices(outcomes: readonly GateOutcome[]): readonly Notice[] {
  return missingPrograms(outcomes).map((program) => ({
    rank: "not checked",
    key: `missing ${program}`,
    text: `Gauntlet: \`${program}\` is not installed here, so a gate cannot do its work. Install it, or change the gate's command.`,
  }));
}

/** A gate that passes although it fails. */
export function excuseNotices(outcome: GateOutcome): readonly Notice[] {
  if (outcome.kind !== "passed" || outcome.rests !== "baseline") return [];
  const { name, warning = "", baseline, logPath = "" } = outcome;
  const { first, old = [] } = baseline?.kind === "compared" ? baseline : {};
  const which =
    first === undefined ? `Its log: ${logPath}` : `${old.length > 1 ? "The first" : "It is"}: ${first}`;
  const text = `Gauntlet: ${name} still fails, but only with existing problems, and did not block: ${warning}. ${which}`;
  return [{ rank: "old problems", key: `baseline ${outcome.id}`, text }];
}

/** A stop that was deferred for background agents, of a prompt that never stopped again: nothing was checked then. */
export function unsettledNotices({ lastStop }: Session, event: StopEvent): readonly Notice[] {
  if (lastStop?.verdict.status !== "deferred" || lastStop.event.permissionMode === "plan") return [];
  const { promptId } = lastStop.event;
  if (promptId === undefined || event.promptId === undefined || promptId === event.promptId) return [];
  const text =
    "The last stop was put off because background agents were still running, and its prompt never stopped again: what it changed was not checked then.";
  return [{ rank: "not checked", key: `deferred ${promptId}`, text }];
}

/** What happened to the hook and to its records behind the user's back. */
export function tamperNotices(session: Session, unhooked: readonly string[]): readonly Notice[] {
  const { cleaned } = session;
  const refused = refusedSettings(session);
  const hooks = refused.length > 0 ? refused : unhooked.map(unhookedNotice);
  if (cleaned === undefined) return hooks;
  const text =
    "Gauntlet: `agent-gauntlet clean` was run in this project, and not by you at a terminal. What had failed was forgotten, so everything is checked again.";
  return [{ rank: "tampering", key: `cleaned ${cleaned}`, text }, ...hooks];
}

function unhookedNotice(file: string): Notice {
  const text = `Gauntlet: the stop hook was removed from ${file}, or switched off there, since this session began. Without it nothing is checked; \`agent-gauntlet install\` puts it back.`;
  return { rank: "tampering", key: `unhooked ${file}`, text, isLasting: true };
}

/** The host was kept from taking them, for this session. */
function refusedSettings({ switchedOff = [] }: Session): readonly Notice[] {
  return switchedOff
    .filter(({ state }) => state === "refused")
    .map(({ key, text, undo }) => ({
      rank: "tampering",
      key: `refused ${key}`,
      text: `Gauntlet: ${text}, since this session began. This session goes on with its hooks, the next one would not. ${undo}, or run \`agent-gauntlet accept\`.`,
      isLasting: true,
    }));
}

/** What git does not see calls for no gate. */
export function ignoreNotices(changed: readonly IgnoreSettingsFile[]): readonly Notice[] {
  if (changed.length === 0) return [];
  const names = changed.map(({ path }) => displayPath(path)).join(", ");
  const text = `Gauntlet: what git overlooks was changed in this session, in ${names}. Changes that git does not see are not checked.`;
  const key = `overlooks ${changed.map(({ path, hash }) => `${path} ${hash}`).join()}`;
  return [{ rank: "tampering", key, text, isLasting: true }];
}

/** Settings of git that variables give, or no longer give. */
export function gitVariablesNotice(names: readonly string[], hash: string): Notice {
  const which = names.length === 0 ? "they are unset" : names.slice(0, MAX_LINES).join(", ");
  const text = `Gauntlet: variables with settings of git were changed in this session (${which}). Changes that git does not see are not checked.`;
  return { rank: "tampering", key: `git variables ${hash}`, text, isLasting: true };
}

/** Files that a gate would look at, hidden by rules of this session. */
export function hidingNotice(hidden: readonly HiddenPath[]): readonly Notice[] {
  if (hidden.length === 0) return [];
  const names = hidden.map(({ path }) => displayPath(path));
  const more = names.length > MAX_LINES ? ` and ${names.length - MAX_LINES} more` : "";
  const rules = [...new Set(hidden.map(({ by }) => displayPath(by)))].join(", ");
  const text = `Gauntlet: git ignores ${names.slice(0, MAX_LINES).join(", ")}${more} by rules of this session, in ${rules}. No gate runs for changes there.`;
  return [{ rank: "tampering", key: `hides ${names.join()} by ${rules}`, text, isLasting: true }];
}

export function stashNotice(id: string, what: string): Notice {
  const text = `Gauntlet: after the last stop was blocked, work was put away with \`git stash\` (${displayPath(what)}). The gates pass without it. To see it: \`git stash show -p ${id.slice(0, 12)}\``;
  return { rank: "tampering", key: `stash ${id}`, text };
}

export function damageNotices(damage: string | undefined): readonly Notice[] {
  if (damage === undefined) return [];
  const text = `Gauntlet: the record of this session is lost, and with it what the gates were when it began. ${damage}`;
  return [{ rank: "tampering", key: damage, text }];
}
