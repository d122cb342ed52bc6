import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import { frameOf } from "./frames.ts";
import type { Finding, Parser } from "./parser.ts";

/** `go test`: what a test logged stands below `--- FAIL` without -v, above it with -v. */
export const goTest: Parser = { name: "go-test", kind: "test", marks: ["--- FAIL: ", "panic: "], parse };

interface Run {
  readonly failed: { test: string; from: number; to: number; said: string[] }[];
  readonly saidBy: Map<string, string[]>;
  current: string | undefined;
}

const RESULT = /^\s*--- (?<result>FAIL|PASS|SKIP): (?<test>\S+) \(/;
const STATE = /^=== (?:RUN|CONT|NAME|PAUSE)\s+(?<test>\S+)$/;
const PACKAGE = /^(?:FAIL|ok {2}|\?  )\s+(?<name>\S+)\s/;

function parse({ lines }: Log): readonly Finding[] {
  const root = moduleRoot(lines);
  const findings: Finding[] = [];
  let run: Run = { failed: [], saidBy: new Map(), current: undefined };
  lines.forEach((line, index) => {
    const name = PACKAGE.exec(line)?.groups?.["name"];
    if (name === undefined) readLine(run, line, index);
    else {
      findings.push(...describeRun(run, packageDir(name, root)));
      run = { failed: [], saidBy: new Map(), current: undefined };
    }
  });
  return [...findings, ...describeRun(run, "")];
}

function readLine(run: Run, line: string, index: number): void {
  const state = STATE.exec(line)?.groups?.["test"];
  const { result, test } = RESULT.exec(line)?.groups ?? {};
  run.current = state ?? test ?? run.current;
  if (state !== undefined || run.current === undefined) return;
  const said = run.saidBy.get(run.current) ?? [];
  run.saidBy.set(run.current, said);
  if (test === undefined) said.push(line);
  const last = run.failed.at(-1);
  if (result === "FAIL" && test !== undefined) run.failed.push({ test, from: index, to: index + 1, said });
  else if (last !== undefined && last.test === run.current) last.to = index + 1;
}

/** A parent of failed subtests that said nothing itself only repeats them. */
function describeRun({ failed }: Run, dir: string): readonly Finding[] {
  return failed.flatMap(({ test, from, to, said }) => {
    const isParent = failed.some((other) => other.test.startsWith(`${test}/`));
    if (isParent && !said.some((line) => SAID.test(line))) return [];
    return [describeTest({ test, from, to, said }, dir)];
  });
}

const SAID = /^\s+(?<file>[\w.-]+\.go):(?<line>\d+): ?(?<message>.*)$/;

/** The last thing a test says is why it ended; logs and errors look alike. */
function describeTest({ test, from, to, said }: Run["failed"][number], dir: string): Finding {
  const last = said.findLastIndex((line) => SAID.test(line));
  const spoken = SAID.exec(said[last] ?? "")?.groups;
  const panic = said
    .map((line) => /^\s*panic: (?<message>.*?)(?: \[recovered\].*)?$/.exec(line)?.groups)
    .find(Boolean);
  const frame = panic && said.map(frameOf).find((one) => one !== undefined && !one.isForeign);
  const message =
    panic?.["message"] ??
    [spoken?.["message"], said[last + 1]].find((text) => (text?.trim() ?? "") !== "") ??
    "failed";
  const place =
    frame ?? (spoken === undefined ? {} : { file: join(dir, spoken["file"] ?? ""), line: spoken["line"] });
  const excerpt = panic === undefined ? said.slice(said.length > 1 ? 0 : 1) : [];
  return finding(
    {
      ...place,
      test,
      message: panic === undefined ? message : `panic: ${message}`,
      excerpt: excerpt.filter((line) => !/^(?:PASS|FAIL)$/.test(line)),
    },
    from,
    to,
  );
}

function join(dir: string, file: string): string {
  return dir === "" ? file : `${dir}/${file}`;
}

/** A package's directory is its import path without the module's; the log does not say where the one ends, hosting habits do. */
function packageDir(name: string, root: readonly string[]): string {
  const parts = name.split("/");
  return root.every((part, index) => parts[index] === part) ? parts.slice(root.length).join("/") : "";
}

function moduleRoot(lines: readonly string[]): readonly string[] {
  const names = lines.flatMap((line) =>
    PACKAGE.exec(line)?.groups?.["name"]?.split("/")
      ? [PACKAGE.exec(line)?.groups?.["name"]?.split("/") ?? []]
      : [],
  );
  const [first = []] = names;
  const common = first.findIndex((part, index) => names.some((other) => other[index] !== part));
  const shared = common === -1 ? first.length : common;
  return first.slice(0, Math.min(shared, usualLength(first)));
}

function usualLength([host = "", , , version = ""]: readonly string[]): number {
  if (!host.includes(".")) return 1;
  if (!/^(?:github|gitlab|bitbucket|codeberg)\./.test(host)) return 2;
  return /^v\d+$/.test(version) ? 4 : 3;
}
