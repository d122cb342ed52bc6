import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { sections } from "./sections.ts";

/** Python's unittest, and Django's runner: `FAIL: name (module.Class)` between rules. */
export const unittest: Parser = { name: "unittest", kind: "test", marks: ["\nFAIL: ", "\nERROR: "], parse };

const HEADING = /^(?:FAIL|ERROR): (?<test>\S+)(?: \((?<where>[^)]*)\))?(?<more> .*)?$/;

function parse({ lines }: Log): readonly Finding[] {
  return sections(lines, HEADING, /^={20,}$|^Ran \d+ tests? in /).flatMap(({ heading, body, from, to }) => {
    if (!/^-{20,}$/.test(body[0] ?? "")) return [];
    const own = body.slice(1);
    const trace = own.findLastIndex((line) => /^\s+File ".*", line \d+/.test(line));
    const said = own.slice(trace + 1).filter((line) => !/^\s{4}/.test(line) && !/^-{20,}$/.test(line));
    const caught = readFailureBody(own, { innermostLast: true, testFile: moduleFile(heading["where"]) });
    const cause = / \(at [^()]+\)$/.exec(caught.message ?? "")?.[0] ?? "";
    const [message = "failed", ...excerpt] = said;
    const test = `${heading["test"]}${heading["more"] ?? ""}`;
    return [finding({ ...caught, test, message: `${message}${cause}`, excerpt }, from, to)];
  });
}

/** `test_calc.CalcTest.test_add` lives in `test_calc.py`. */
function moduleFile(where: string | undefined): string | undefined {
  const parts = (where ?? "").split(".");
  const end = parts.findIndex((part) => /^[A-Z]/.test(part));
  return end <= 0 ? undefined : `${parts.slice(0, end).join("/")}.py`;
}
