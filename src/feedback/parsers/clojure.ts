import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import type { Section } from "./sections.ts";
import { sections } from "./sections.ts";

/** clojure.test, and what the Clojure compiler and reader say. */
export const clojure: Parser = {
  name: "clojure",
  kind: "test",
  marks: ["FAIL in (", "ERROR in (", "Syntax error ", "Execution error "],
  parse: (log) => [...testFailures(log), ...compileErrors(log)],
};

const FAILURE = /^(?<kind>FAIL|ERROR) in \((?<test>[^)]*)\) \((?<file>[^\s:)]+):(?<line>\d+)\)$/;
const FRAME = /^\s*(?:at )?[\w.$-]+[/.$]\S+ \((?<file>[\w-]+\.clj[cs]?):(?<line>\d+)\)$/;
const END = /^(?:Testing |Ran \d+ tests|\d+ failures, )/;

function testFailures({ lines }: Log): readonly Finding[] {
  const spaces = sections(lines, /^Testing (?<namespace>[\w.*+!?<>=-]+)$/);
  return sections(lines, FAILURE, END).map((section) =>
    failure(section, spaces.findLast(({ from }) => from < section.from)?.heading["namespace"]),
  );
}

function failure({ heading, body, from, to }: Section, namespace: string | undefined): Finding {
  const own = namespace === undefined ? undefined : `${namespace.replaceAll("-", "_").replaceAll(".", "/")}`;
  const frames = body.map((line) => FRAME.exec(line)?.groups).filter((frame) => frame !== undefined);
  const inTest = own === undefined ? undefined : frames.find((frame) => frame["file"] === fileName(own));
  const isElsewhere = heading["file"] !== inTest?.["file"] && inTest !== undefined;
  const said = body.filter((line) => /^(?:expected: |\s+actual: |\s+diff: |\s*[-+] )/.test(line));
  const context = body
    .slice(
      0,
      Math.max(
        0,
        body.findIndex((line) => line.startsWith("expected: ")),
      ),
    )
    .join(" ");
  const place = isElsewhere ? { file: inTest["file"], line: inTest["line"] } : heading;
  const cause = isElsewhere ? ` (at ${heading["file"]}:${heading["line"]})` : "";
  const message = [context, said.map((line) => line.trim()).join(" ")]
    .filter((part) => part !== "")
    .join(": ");
  return finding(
    {
      test: heading["test"],
      ...place,
      file: inSourceTree(place["file"] ?? "", own),
      message: `${message}${cause}`,
    },
    from,
    to,
  );
}

function fileName(path: string): string {
  return `${path.split("/").at(-1)}.clj`;
}

/** clojure.test prints only the file's name; by convention tests live below `test` in the directories of their namespace. */
function inSourceTree(file: string, namespacePath: string | undefined): string {
  const [, extension = ""] = /(\.clj[cs]?)$/.exec(file) ?? [];
  const isOwn = namespacePath !== undefined && file === `${namespacePath.split("/").at(-1)}${extension}`;
  return isOwn ? `test/${namespacePath}${extension}` : file;
}

const COMPILE =
  /^(?<kind>Syntax error|Execution error|Unexpected error)(?: \((?<code>[\w.$]+)\))? ?(?:\S+ )*?at (?:[\w.$/*-]+ )?\((?<file>[^\s:()]+):(?<line>\d+)(?::(?<column>\d+))?\)\.$/;

function compileErrors({ lines }: Log): readonly Finding[] {
  return lines.flatMap((line, index) => {
    const found = COMPILE.exec(line)?.groups;
    if (found === undefined) return [];
    const { kind = "", ...place } = found;
    return [finding({ ...place, message: `${kind}: ${lines[index + 1]?.trim() ?? ""}` }, index, index + 2)];
  });
}
