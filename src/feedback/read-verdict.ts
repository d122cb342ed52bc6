/** What a tool says about a place, taken apart. */
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
    ...(severity === undefined ? {} : { severity }),
    ...(code === undefined ? {} : { code }),
    message,
  };
}

/** Whether this says something about the place instead of reporting it: notes, log output, stack frames. */
export function isRemark(text: string): boolean {
  return REMARK.test(text) || PASSING.test(text);
}

/** Whether this is only a caller's report that something failed: the failure itself stands elsewhere. */
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
