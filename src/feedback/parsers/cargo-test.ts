import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { sections } from "./sections.ts";

/** Rust's test harness: `---- name stdout ----` and the panic below it. */
export const cargoTest: Parser = {
  name: "cargo-test",
  kind: "test",
  marks: [" stdout ----", " ... FAILED"],
  parse,
};

const PANIC =
  /^thread '.*' (?:\(\d+\) )?panicked at (?:'(?<message>.*)', )?(?<file>[^\s:]+):(?<line>\d+):(?<column>\d+):?$/;
const NOTE = /^note: (?<message>.*?)(?: at (?<file>\S+?):(?<line>\d+):(?<column>\d+))?$/;

function parse({ lines }: Log): readonly Finding[] {
  const told = sections(lines, /^---- (?<test>.+?) stdout ----$/, /^failures:$|^test result: /).map(
    ({ heading, body, from, to }) => finding({ ...heading, ...readPanic(body) }, from, to),
  );
  const names = new Set(told.map(({ problem }) => problem.test));
  const listed = sections(lines, /^test (?<test>.+?)(?: - should panic)? \.\.\. FAILED$/).flatMap(
    ({ heading, from }) =>
      names.has(heading["test"]) ? [] : [finding({ ...heading, message: "failed" }, from)],
  );
  return [...told, ...listed];
}

function readPanic(body: readonly string[]): object {
  const at = body.findIndex((line) => PANIC.test(line));
  if (at === -1)
    return (
      NOTE.exec(body.find((line) => NOTE.test(line)) ?? "")?.groups ?? {
        message: body.find((line) => line.trim() !== ""),
      }
    );
  const below = body.slice(at + 1);
  const end = below.findIndex((line) => /^(?:stack backtrace:|note: )/.test(line));
  const said = (end === -1 ? below : below.slice(0, end)).filter((line) => line.trim() !== "");
  const { message = said[0], ...place } = PANIC.exec(body[at] ?? "")?.groups ?? {};
  return { ...place, message, excerpt: message === said[0] ? said.slice(1) : said };
}
