import type { Log } from "../log.ts";
import type { Problem, Severity } from "../problem.ts";
import type { PatternParser } from "../../gates/gate.ts";

export interface Parser {
  readonly name: string;
  readonly kind: FindingKind;
  /** `isRead` says which lines an earlier parser has understood; reading them again does no harm, it only costs time. */
  readonly parse: (log: Log, isRead: (line: number) => boolean) => Iterable<Finding>;
}

/** In the order of repair: what does not build hides the rest. */
export type FindingKind = "build" | "lint" | "test";

/** Lines that a parser understood, which no later parser reads again. */
export interface Finding {
  readonly from: number;
  readonly to: number;
  /**
   * The problem they tell of: read only when it is wanted, for a log may hold a hundred thousand. Absent where the lines only look like
   * a problem, as the output of a passing test may.
   */
  readonly caught?: () => Caught;
}

/** What a regular expression may have caught of a problem; `undefined` and empty text count as absent. */
export interface Caught {
  readonly file?: string | undefined;
  readonly line?: string | number | undefined;
  readonly column?: string | number | undefined;
  readonly severity?: string | undefined;
  readonly code?: string | undefined;
  readonly test?: string | undefined;
  readonly message?: string | undefined;
  readonly excerpt?: string | readonly string[] | undefined;
}

export function composeProblem(caught: Caught): Problem {
  const problem: { -readonly [Key in keyof Problem]: Problem[Key] } = {
    severity: severityOf(caught.severity),
    message: oneLine(caught.message ?? "") || "failed",
  };
  const { file, code, test } = caught;
  const line = positive(caught.line);
  const column = positive(caught.column);
  const excerpt = excerptText(caught.excerpt);
  if (isText(file)) problem.file = file.trim();
  if (line !== undefined) problem.line = line;
  if (column !== undefined) problem.column = column;
  if (isText(code)) problem.code = code.trim();
  if (isText(test)) problem.test = oneLine(test);
  if (excerpt !== "") problem.excerpt = excerpt;
  return problem;
}

export function finding(caught: () => Caught, from: number, to: number = from + 1): Finding {
  return { from, to, caught };
}

export function ignored(from: number, to: number): Finding {
  return { from, to };
}

/** Every tool's words for the two severities we have. */
function severityOf(word: string | undefined): Severity {
  return word !== undefined &&
    /^(?:w|c|r|i|warn|warning|info|information|style|convention|refactor|note|hint|advice)\b/i.test(word)
    ? "warning"
    : "error";
}

export function trimBlankLines(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return [];
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const kept = lines.slice(first, last + 1);
  const indent = Math.min(...kept.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)));
  return kept.map((line) => line.slice(indent).trimEnd());
}

function isText(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function excerptText(excerpt: Caught["excerpt"]): string {
  if (excerpt === undefined || typeof excerpt === "string") return excerpt?.trimEnd() ?? "";
  return excerpt.length === 0 ? "" : trimBlankLines(excerpt).join("\n").trimEnd();
}

function positive(value: string | number | undefined): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
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

export interface VerdictText {
  readonly severity?: string;
  readonly code?: string;
  readonly message: string;
}

/** Takes `error TS2322: message`, `warning: message [-Wall]`, `E711 message`, `C: Style/X: message` … apart. */
export function readVerdict(text: string): VerdictText {
  const { severity, rest: said } = takeSeverity(text.trim());
  const { code, rest: message } = takeCode(said);
  return {
    severity,
    code,
    message,
  };
}

/** Whether this says something about the place instead of reporting it: notes, log output, stack frames. */
export function isRemark(text: string): boolean {
  return REMARK.test(text) || PASSING.test(text);
}

export function isConsequence(text: string): boolean {
  return CONSEQUENCE.test(text);
}

const CONSEQUENCE =
  /^g?make(?:\[\d+\])?: |\] Error \d+$|\bexited \(\d+\)|^ninja: |^npm error |see the compiler error output|^Test \S+ failed$|^The following error occurred while executing this line|\bexit(?:ed)?(?: with)?(?: status| code) \d|command failed/i;

/** What a runner says about tests that did not fail. */
const PASSING =
  /\b(?:has passed|is skipped|was skipped|skipped because|succeeded)\b|^(?:Entering|Leaving|Starting|Finished|Loading) /;

const REMARK =
  /^(?:note|info|information|debug|trace|log|hint|help|remark|verbose|running|ok|passed|PASS|in|at|from|required from|instantiated from|see)\b(?!\w*[/(])/i;

const SEVERITY =
  /^\[?(?<severity>(?:internal |fatal |compiler |syntax |parse )?error|fatal|warning|warn|err|note|info|style|convention|refactor|performance|portability|information|[CWEFRI](?=: ))\]?(?=[\s:[])(?:\[(?<code>[\w:-]+)\])?[\s:]*(?:- +)?/i;

function takeSeverity(text: string): { severity?: string; rest: string } {
  const found = SEVERITY.exec(text);
  if (found === null) return { rest: text };
  const { severity = "", code } = found.groups ?? {};
  const rest = text.slice(found[0].length);
  return { severity, rest: code === undefined ? rest : `${code}: ${rest}` };
}

/** Before the message: `TS2322:`, `E711`, `Style/Documentation:`, `[C0114(name), ]`. After it: `[name]`, `(some-name)`. */
const CODE_BEFORE =
  /^(?:\[Correctable\] )?(?:\[(?<listed>[A-Z]\d{3,4}\([\w-]+\)),[^\]]*\] *|(?<code>[A-Z]{1,8}\d{2,5}|[A-Z]\w+\/\w+|[a-z][\w-]*(?:::[\w-]+)+)(?=[\s:])[:\s]\s*)/;

const CODE_AFTER =
  /\s+(?:\[(?<bracketed>[\w@][\w./=+:-]*(?:\([\w./-]+\))?|-W[\w=+-]+)\]|\((?<name>[a-z]+(?:[-/][\w-]+)+|report[A-Z]\w+)\))$/;

function takeCode(text: string): { code?: string; rest: string } {
  const before = CODE_BEFORE.exec(text);
  if (before !== null) return withCode(before, text.slice(before[0].length)) ?? { rest: text };
  const after = CODE_AFTER.exec(text);
  return (after === null ? undefined : withCode(after, text.slice(0, after.index))) ?? { rest: text };
}

function withCode(
  { groups = {} }: RegExpExecArray,
  rest: string,
): { code: string; rest: string } | undefined {
  const code = Object.values(groups).find((group) => group !== undefined);
  return code === undefined ? undefined : { code: code.replace(/^(?:Error|Warning)\//, ""), rest };
}
