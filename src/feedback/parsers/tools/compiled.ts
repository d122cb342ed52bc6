import { placedParser, pointedParser } from "../placed-parser.ts";
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

const CLOJURE_FAILURE =
  /^(?:FAIL|ERROR) in \(?(?:(?<namespace>[\w.-]+)\/)?(?<test>[^)\s]*)\)? \((?<file>[^\s:)]+):(?<line>\d+)\)$/;
const CLOJURE_NAMESPACE = /^(?:Testing|lein test) (?<namespace>[\w.*+!?<>=-]+)$/;
const CLOJURE_END = /^(?:Testing |lein test |Ran \d+ tests|\d+ failures, )/;

function testFailures({ lines, beginning }: Log): readonly Finding[] {
  const spaces = headings(lines, beginning("Testing ", "lein test "), CLOJURE_NAMESPACE);
  return sections(lines, beginning("FAIL in ", "ERROR in "), {
    start: CLOJURE_FAILURE,
    end: CLOJURE_END,
  }).map(
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
  const frame = body
    .map((one) => CLOJURE_FRAME.exec(one)?.groups)
    .find((one) => isOwnFile(one?.["file"], path));
  const isThrownElsewhere = frame !== undefined && !isOwnFile(file, path);
  const place = isThrownElsewhere ? { file: frame["file"], line: frame["line"] } : { file, line };
  const cause = isThrownElsewhere ? ` (at ${file}:${line})` : "";
  return { test, ...place, file: inSourceTree(place.file, path), message: `${messageOf(body)}${cause}` };
}

const CLOJURE_FRAME = /^\s*(?:at )?[\w.$-]+[/.$]\S+ \((?<file>[\w-]+\.clj[cs]?):(?<line>\d+)\)$/;

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

const CLOJURE_COMPILE =
  /^(?<kind>Syntax error|Execution error|Unexpected error)(?: \((?<code>[\w.$]+)\))? ?(?:\S+ )*?at (?:[\w.$/*-]+ )?\((?<file>[^\s:()]+):(?<line>\d+)(?::(?<column>\d+))?\)\.$/;

function compileErrors({ lines, beginning }: Log): readonly Finding[] {
  const said = beginning("Syntax error", "Execution error", "Unexpected error");
  return headings(lines, said, CLOJURE_COMPILE).map((section) => {
    const below = lines.at(section.to);
    return finding(() => compileError(section, below), section.from, section.to + 1);
  });
}

function compileError({ heading }: Section, below: string): Caught {
  return { ...heading, message: `${heading["kind"]}: ${below.trim()}` };
}

/** rustc, Clippy and whatever else Cargo runs to build. */
export const rustc = pointedParser({
  name: "rustc",
  kind: "build",
  arrows: ["-->", "┌─"],
  message: /^\s*(?:error|warning)(?:\[[\w:]+\])?: \S/,
});

/** Rust's test harness: `---- name stdout ----` and the panic below it. */
export const cargoTest: Parser = { name: "cargo-test", kind: "test", parse: parseCargoTest };

const CARGO_FAILURE = /^---- (?<test>.+?) stdout ----$/;
const CARGO_END = /^failures:$|^test result: /;
const CARGO_LISTED = /^test (?<test>.+?)(?: - should panic)? \.\.\. FAILED$/;

/** A test that printed nothing has no section. */
function parseCargoTest({ lines, beginning }: Log): readonly Finding[] {
  const told = sections(lines, beginning("---- "), { start: CARGO_FAILURE, end: CARGO_END });
  const names = new Set(told.map(({ heading }) => heading["test"]));
  const listed = headings(lines, beginning("test "), CARGO_LISTED).filter(
    ({ heading }) => !names.has(heading["test"]),
  );
  return [
    ...told.map(toFinding(({ heading, body }) => ({ ...heading, ...readPanic(body) }))),
    ...listed.map(toFinding(({ heading }) => heading)),
  ];
}

const PANIC =
  /^thread '.*' (?:\(\d+\) )?panicked at (?:'(?<message>.*)', )?(?<file>[^\s:]+):(?<line>\d+):(?<column>\d+):?$/;
const NOTE = /^note: (?<message>.*?)(?: at (?<file>\S+?):(?<line>\d+):(?<column>\d+))?$/;

function readPanic(body: readonly string[]): Caught {
  const at = body.findIndex((line) => PANIC.test(line));
  if (at === -1) return readNote(body);
  const below = body.slice(at + 1);
  const end = below.findIndex((line) => /^(?:stack backtrace:|note: )/.test(line));
  const said = (end === -1 ? below : below.slice(0, end)).filter((line) => line.trim() !== "");
  const { message = said[0], ...place } = PANIC.exec(body[at] ?? "")?.groups ?? {};
  return { ...place, message, excerpt: message === said[0] ? said.slice(1) : said };
}

function readNote(body: readonly string[]): Caught {
  const note = body.map((line) => NOTE.exec(line)?.groups).find((groups) => groups !== undefined);
  return note ?? { message: body.find((line) => line.trim() !== "") };
}
