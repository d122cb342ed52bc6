import type { Log } from "../log.ts";
import type { Caught } from "./compose.ts";
import { finding, ignored } from "./compose.ts";
import { frameOf } from "./frames.ts";
import { packageDirectories } from "./go-packages.ts";
import type { Finding, Parser } from "./parser.ts";

/** `go test`: what a test said stands below `--- FAIL` without -v, above it with -v. */
export const goTest: Parser = {
  name: "go-test",
  kind: "test",
  marks: ["--- FAIL: ", "--- PASS: ", "=== RUN"],
  parse,
};

/** A test that failed, and the lines it said. */
interface FailedTest {
  readonly test: string;
  readonly index: number;
  readonly said: string[];
}

const RESULT = /^\s*--- (?<result>FAIL|PASS|SKIP): (?<test>\S+) \(/;
const STATE = /^=== (?:RUN|CONT|NAME|PAUSE)\s+(?<test>\S+)$/;
const SAID = /^\s+(?<file>[\w.-]+\.go):(?<line>\d+): ?(?<message>.*)$/;

function parse({ lines }: Log): readonly Finding[] {
  const packages = packageDirectories(lines);
  const findings: Finding[] = [];
  let start = 0;
  for (const { end, directory } of packages) {
    findings.push(...readPackage(lines.slice(start, end), start, directory));
    start = end + 1;
  }
  return [...findings, ...readPackage(lines.slice(start), start, "")];
}

/** Logs of passing tests look like messages of a compiler: every said line is taken, told or not. */
function readPackage(lines: readonly string[], start: number, directory: string): readonly Finding[] {
  const failed = failedTests(lines);
  const parents = new Set(
    failed.filter(({ test }) => test.includes("/")).map(({ test }) => test.replace(/\/[^/]*$/, "")),
  );
  const told = failed
    .filter(({ test, said }) => said.length > 0 || !parents.has(test))
    .map((one) => finding(() => describeTest(one, directory), start + one.index));
  const spoken = lines.flatMap((line, index) =>
    SAID.test(line) ? [ignored(start + index, start + index + 1)] : [],
  );
  return [...told, ...spoken];
}

function failedTests(lines: readonly string[]): readonly FailedTest[] {
  const saidBy = new Map<string, string[]>();
  const failed: FailedTest[] = [];
  let current = "";
  lines.forEach((line, index) => {
    const state = STATE.exec(line)?.groups?.["test"];
    const { result, test } = RESULT.exec(line)?.groups ?? {};
    current = state ?? test ?? current;
    const said = saidBy.get(current) ?? [];
    saidBy.set(current, said);
    if (result === "FAIL") failed.push({ test: current, index, said });
    else if (state === undefined && test === undefined && !/^(?:FAIL|PASS|exit status \d+)?$/.test(line))
      said.push(line);
  });
  return failed;
}

/** Logs and errors look alike; the last thing a test says is why it ended. */
function describeTest({ test, said }: FailedTest, directory: string): Caught {
  const panic = said
    .map((line) => /^\s*panic: (?<message>.*?)(?: \[recovered\].*)?$/.exec(line)?.groups)
    .find(Boolean);
  if (panic !== undefined) {
    const frame = said.map(frameOf).find((one) => one !== undefined && !one.isForeign);
    return { ...frame, test, message: `panic: ${panic["message"]}` };
  }
  const last = said.findLastIndex((line) => SAID.test(line));
  const { file, line, message } = SAID.exec(said[last] ?? "")?.groups ?? {};
  const spoken = [message, ...said.slice(last + 1)].find((text) => (text?.trim() ?? "") !== "");
  const path = file === undefined || directory === "" ? file : `${directory}/${file}`;
  return { file: path, line, test, message: spoken, excerpt: said.length > 1 ? said : [] };
}
