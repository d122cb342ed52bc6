import type { Log } from "../log.ts";
import type { Caught } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { headings, sections, toFinding } from "./sections.ts";

/** Biome: a ruled heading with place and rule, the message marked with its weight; what is marked `i` is only information. */
export const biome: Parser = { name: "biome", kind: "lint", parse };

const HEADING =
  /^(?<file>[^\s:]+\.\w+|[A-Za-z]:\S+?)(?::(?<line>\d+):(?<column>\d+))? (?<code>[\w/-]+)(?:\s+[A-Z ]+)?\s+━+$/;
const END = /^\S.* ━+$|^(?:Checked|Skipped|Found) \d/;
const MESSAGE = /^\s{2}(?<mark>[×✖!⚠]) (?<message>.*)$/;

/** The message stands below the heading, after a blank line if nobody took it out. */
function parse({ lines, beginning }: Log): readonly Finding[] {
  const above = headings(lines, beginning("× ", "✖ ", "! ", "⚠ "), MESSAGE).flatMap(({ from }) => [
    from - 2,
    from - 1,
  ]);
  return sections(lines, above, { start: HEADING, end: END }).map(
    toFinding(({ heading, body }) => ({ ...heading, ...describe(body) })),
  );
}

function describe(body: readonly string[]): Caught {
  const at = body.findIndex((line) => MESSAGE.test(line));
  const { mark, message } = MESSAGE.exec(body[at] ?? "")?.groups ?? {};
  return {
    severity: mark === "!" || mark === "⚠" ? "warning" : "error",
    message,
    excerpt: body.slice(at + 1),
  };
}
