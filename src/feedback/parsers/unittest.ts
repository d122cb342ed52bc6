import type { Log } from "../log.ts";
import type { Caught } from "./compose.ts";
import { causeIn, readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { type Section, sections, toFinding } from "./sections.ts";

/** Python's unittest, and Django's runner: `FAIL: name (module.Class)` between rules. */
export const unittest: Parser = { name: "unittest", kind: "test", parse };

const HEADING = /^(?:FAIL|ERROR): (?<test>\S+)(?: \((?<where>[^)]*)\))?(?<more> .*)?$/;
const END = /^={20,}$|^Ran \d+ tests? in /;
const RULE = /^-{20,}$/;

function parse({ lines, beginning }: Log): readonly Finding[] {
  return sections(lines, beginning("FAIL: ", "ERROR: "), { start: HEADING, end: END })
    .filter(({ body }) => RULE.test(body[0] ?? ""))
    .map(toFinding(describe));
}

function describe({ heading, body }: Section): Caught {
  const own = body.filter((line) => !RULE.test(line));
  const trace = own.findLastIndex((line) => /^\s+File ".*", line \d+/.test(line));
  const [message = "failed", ...excerpt] = own.slice(trace + 1).filter((line) => !/^\s{4}/.test(line));
  const caught = readFailureBody(own, { innermostLast: true, testFile: moduleFile(heading["where"]) });
  const test = `${heading["test"]}${heading["more"] ?? ""}`;
  return { ...caught, test, message: `${message}${causeIn(caught)}`, excerpt };
}

/** `test_calc.CalcTest.test_add` lives in `test_calc.py`. */
function moduleFile(where: string | undefined): string | undefined {
  const parts = (where ?? "").split(".");
  const end = parts.findIndex((part) => /^[A-Z]/.test(part));
  return end <= 0 ? undefined : `${parts.slice(0, end).join("/")}.py`;
}
