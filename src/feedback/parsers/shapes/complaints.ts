import type { Log } from "../../log.ts";
import { TRAIT } from "../../text/line-traits.ts";
import { type FoundPlace, findPlace } from "../../text/placed-text.ts";
import { isConsequence, readVerdict, type Caught, type Finding, type Parser, finding } from "../parser.ts";
import { endOfFrame } from "../placed-parser.ts";
import { isForeignFile } from "../failure-body.ts";

/**
 * Complaints of tools without a parser: a word of severity and a place on one line, or on two lines close to each other, in either
 * order. Where tests passed, what they logged is not a complaint.
 */
export const complaints: Parser = { name: "complaints", kind: "lint", parse };

function parse(log: Log, isRead: (line: number) => boolean): readonly Finding[] {
  const { isAllPassed, hasTests } = log.counts();
  if (isAllPassed) return [];
  const worth = hasTests ? ASSERTED : WORTH_A_LOOK;
  const findings: Finding[] = [];
  let next = 0;
  for (let index = 0; index < log.lines.length; index += 1) {
    if (index < next || !log.lines.may(index, WORDS) || isRead(index) || !worth.test(log.lines.at(index)))
      continue;
    const found = complaintAt(log, index, isRead);
    if (found === undefined) continue;
    findings.push(found);
    next = found.to;
  }
  return findings;
}

const WORDS = TRAIT.error | TRAIT.fail | TRAIT.complaint;

/** What tests log looks like complaints; these cannot be logged. */
const ASSERTED = /Assertion .* failed|^CMake Error/;

const WORTH_A_LOOK = /rror|ERROR|FATAL|atal:|Issue: |[Ww]arn|WARN|Assertion .* failed| line \d+\.$/;

function complaintAt(log: Log, index: number, isRead: (line: number) => boolean): Finding | undefined {
  const line = log.lines.at(index);
  if (line.length > LONGEST_LINE || !SEVERE.test(line) || isConsequence(line)) return undefined;
  const here = ownPlace(line);
  if (here !== undefined) return onOneLine(log, index, here);
  return LEADING.test(line) ? onTwoLines(log, index, isRead) : undefined;
}

/** The place right above the complaint, or a few lines below it. */
function onTwoLines(log: Log, message: number, isRead: (line: number) => boolean): Finding | undefined {
  const above = message > 0 && !isRead(message - 1) ? placeAlone(log.lines.at(message - 1)) : undefined;
  if (above !== undefined) return placed(log, { message, place: message - 1, found: above });
  for (let place = message + 1; place <= message + FARTHEST; place += 1) {
    const text = log.lines.at(place);
    if (isRead(place) || (LEADING.test(text) && SEVERE.test(text))) return undefined;
    const found = placeAlone(text);
    if (found !== undefined) return placed(log, { message, place, found });
  }
  return undefined;
}

const LONGEST_LINE = 1000;
const FARTHEST = 4;

/** A severity as a tool writes one, not the word in a sentence. */
const SEVERE =
  /(?:^|[\s[("'✘>-])(?:\[?(?:ERROR|Error|error|FATAL|fatal|Fatal|WARNING|Warning|warning|WARN|Warn)\]?(?:[:\s)\]]|$)|\w+(?:Error|Exception)\b[:\s])|Assertion .* failed|^\s*>> Issue: |\S at \S+ line \d+\.$|CMake (?:Error|Warning)/;

/** A line that begins with its severity, behind marks and numbers at most. */
const LEADING =
  /^[\s\d✘✖×⚠>*!-]*(?:\[[!x]\] )?\[?(?:ERROR|Error|error|FATAL|fatal|WARNING|Warning|warning|WARN|Warn|Issue|\w+Error)\b\]?[:\s]/;

function ownPlace(line: string): FoundPlace | undefined {
  const found = findPlace(line);
  return found === undefined || isForeignFile(found.file) ? undefined : found;
}

function placeAlone(line: string): FoundPlace | undefined {
  if (line.length > 300) return undefined;
  const found = ownPlace(line);
  if (found === undefined) return undefined;
  const rest = `${line.slice(0, found.at)} ${line.slice(found.at + found.length)}`;
  return /^\W*(?:(?:Location|File|file|at|in|In|-->|╭─|,-)\W*)?\W*$/.test(rest) ? found : undefined;
}

/** What is left of the line without the place, or the next line when that is nothing. */
function onOneLine(log: Log, index: number, place: FoundPlace): Finding | undefined {
  const line = log.lines.at(index);
  const before = line.slice(0, place.at);
  const after = line.slice(place.at + place.length);
  if (!SEVERE.test(before) && !SEVERE.test(`${after} `) && !SEVERE.test(line)) return undefined;
  const isNextLine = !/[A-Za-z]{3}/.test(after.replace(/\([\w:]+\):?/, ""));
  const to = isNextLine ? endOfMessage(log, index + 1) : endOfFrame(log, index + 1);
  return finding(
    () => {
      const said = isNextLine ? (messageBelow(log, index, to) ?? before) : messageIn(before, after);
      return { ...spotOf(place), ...verdict(said, before), excerpt: log.lines.slice(index + 1, to) };
    },
    index,
    to,
  );
}

function messageBelow({ lines }: Log, index: number, to: number): string | undefined {
  return lines
    .slice(index + 1, to)
    .find((line) => /[A-Za-z]{3}/.test(line) && findPlace(line) === undefined)
    ?.trim();
}

function messageIn(before: string, after: string): string {
  const cleaned = after.replace(/^[\s:,)\]"'-]+/, "");
  return /[A-Za-z]{3}/.test(cleaned) ? cleaned : before.trim();
}

function placed(
  log: Log,
  { message, place, found }: { message: number; place: number; found: FoundPlace },
): Finding {
  const last = Math.max(message, place) + 1;
  const to = endOfFrame(log, last);
  return finding(
    () => {
      const said = log.lines.at(message).replace(/^[\s✘✖×⚠>*!-]+/, "");
      return {
        ...spotOf(found),
        ...verdict(said.replace(/^Issue: /, ""), said),
        excerpt: log.lines.slice(last, to),
      };
    },
    Math.min(message, place),
    to,
  );
}

function endOfMessage({ lines, isPlaced }: Log, start: number): number {
  let end = start;
  while (end < lines.length && end - start < LONGEST_MESSAGE && lines.at(end).trim() !== "" && !isPlaced(end))
    end += 1;
  return end;
}

const LONGEST_MESSAGE = 10;

function spotOf({ file, line, column }: FoundPlace): Pick<Caught, "file" | "line" | "column"> {
  return { file, line, column };
}

function verdict(said: string, before: string): Pick<Caught, "severity" | "code" | "message"> {
  const read = readVerdict(said.replace(/^(?:[[(]?\w+[\])]? )?(?=(?:error|warning)\b)/i, ""));
  const word = read.severity ?? (/warn/i.test(before) && !/error/i.test(before) ? "warning" : "error");
  return { ...read, severity: word };
}
