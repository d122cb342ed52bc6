import { pointedParser } from "../placed-parser.ts";
import type { Log } from "../../log.ts";
import type { Caught, Finding, Parser } from "../parser.ts";
import { headings, sections, toFinding } from "../sections.ts";

/** rustc, Clippy and whatever else Cargo runs to build. */
export const rustc = pointedParser({
  name: "rustc",
  kind: "build",
  arrows: ["-->", "┌─"],
  message: /^\s*(?:error|warning)(?:\[[\w:]+\])?: \S/,
});

/** Rust's test harness: `---- name stdout ----` and the panic below it. */
export const cargoTest: Parser = { name: "cargo-test", kind: "test", parse };

const FAILURE = /^---- (?<test>.+?) stdout ----$/;
const END = /^failures:$|^test result: /;
const LISTED = /^test (?<test>.+?)(?: - should panic)? \.\.\. FAILED$/;

/** A test that printed nothing has no section. */
function parse({ lines, beginning }: Log): readonly Finding[] {
  const told = sections(lines, beginning("---- "), { start: FAILURE, end: END });
  const names = new Set(told.map(({ heading }) => heading["test"]));
  const listed = headings(lines, beginning("test "), LISTED).filter(
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
