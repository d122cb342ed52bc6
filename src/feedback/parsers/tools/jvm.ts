import { placedParser } from "../placed-parser.ts";
import type { Log } from "../../log.ts";
import { type Caught, type Finding, type Parser, finding } from "../parser.ts";
import { type Section, headings, lastBefore, sections, toFinding } from "../sections.ts";

/** The Java compiler. */
export const javac = placedParser({
  name: "javac",
  kind: "build",
  says: (rest, placed) => /^(?:error|warning): /.test(rest) && placed.place.file.endsWith(".java"),
});

/** clojure.test, and what the Clojure compiler and reader say. */
export const clojure: Parser = {
  name: "clojure",
  kind: "test",
  parse: (log) => [...testFailures(log), ...compileErrors(log)],
};

const FAILURE =
  /^(?:FAIL|ERROR) in \(?(?:(?<namespace>[\w.-]+)\/)?(?<test>[^)\s]*)\)? \((?<file>[^\s:)]+):(?<line>\d+)\)$/;
const NAMESPACE = /^(?:Testing|lein test) (?<namespace>[\w.*+!?<>=-]+)$/;
const END = /^(?:Testing |lein test |Ran \d+ tests|\d+ failures, )/;

function testFailures({ lines, beginning }: Log): readonly Finding[] {
  const spaces = headings(lines, beginning("Testing ", "lein test "), NAMESPACE);
  return sections(lines, beginning("FAIL in ", "ERROR in "), { start: FAILURE, end: END }).map(
    toFinding((section) => {
      const { namespace = lastBefore(spaces, section.from)?.heading["namespace"] } = section.heading;
      return describe(section, namespace);
    }),
  );
}

/** An exception is reported where it was thrown; the frame in the test's own file is where the test failed. */
function describe({ heading, body }: Section, namespace: string | undefined): Caught {
  const { test, file, line } = heading;
  const path = namespace?.replaceAll("-", "_").replaceAll(".", "/");
  const frame = body.map((one) => FRAME.exec(one)?.groups).find((one) => isOwnFile(one?.["file"], path));
  const isThrownElsewhere = frame !== undefined && !isOwnFile(file, path);
  const place = isThrownElsewhere ? { file: frame["file"], line: frame["line"] } : { file, line };
  const cause = isThrownElsewhere ? ` (at ${file}:${line})` : "";
  return { test, ...place, file: inSourceTree(place.file, path), message: `${messageOf(body)}${cause}` };
}

const FRAME = /^\s*(?:at )?[\w.$-]+[/.$]\S+ \((?<file>[\w-]+\.clj[cs]?):(?<line>\d+)\)$/;

function messageOf(body: readonly string[]): string {
  const start = Math.max(
    0,
    body.findIndex((line) => line.startsWith("expected: ")),
  );
  const context = body.slice(0, start).join(" ");
  const said = body.filter((line) => /^(?:expected: |\s+actual: |\s+diff: |\s*[-+] )/.test(line));
  return [context, said.map((line) => line.trim()).join(" ")].filter((part) => part !== "").join(": ");
}

function isOwnFile(file: string | undefined, path: string | undefined): boolean {
  return (
    file !== undefined && path !== undefined && file.replace(/\.clj[cs]?$/, "") === path.split("/").at(-1)
  );
}

/** clojure.test prints only the file's name; by convention tests live below `test`, in the directories of their namespace. */
function inSourceTree(file: string | undefined, path: string | undefined): string | undefined {
  return isOwnFile(file, path) ? `test/${path}${/\.clj[cs]?$/.exec(file ?? "")?.[0]}` : file;
}

const COMPILE =
  /^(?<kind>Syntax error|Execution error|Unexpected error)(?: \((?<code>[\w.$]+)\))? ?(?:\S+ )*?at (?:[\w.$/*-]+ )?\((?<file>[^\s:()]+):(?<line>\d+)(?::(?<column>\d+))?\)\.$/;

function compileErrors({ lines, beginning }: Log): readonly Finding[] {
  const said = beginning("Syntax error", "Execution error", "Unexpected error");
  return headings(lines, said, COMPILE).map((section) => {
    const below = lines.at(section.to);
    return finding(() => compileError(section, below), section.from, section.to + 1);
  });
}

function compileError({ heading }: Section, below: string): Caught {
  return { ...heading, message: `${heading["kind"]}: ${below.trim()}` };
}
