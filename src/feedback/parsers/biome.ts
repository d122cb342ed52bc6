import type { Log } from "../log.ts";
import type { Caught } from "./compose.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { sections } from "./sections.ts";

/** Biome: a ruled heading with place and rule, the message marked with its weight; what is marked `i` is only information. */
export const biome: Parser = { name: "biome", kind: "lint", marks: ["× ", "✖ ", "! "], parse };

const HEADING =
  /^(?<file>[^\s:]+\.\w+|[A-Za-z]:\S+?)(?::(?<line>\d+):(?<column>\d+))? (?<code>[\w/-]+)(?:\s+[A-Z ]+)?\s+━+$/;
const END = /^\S.* ━+$|^(?:Checked|Skipped|Found) \d/;
const MESSAGE = /^\s{2}(?<mark>[×✖!⚠]) (?<message>.*)$/;

function parse({ lines }: Log): readonly Finding[] {
  return sections(lines, HEADING, END)
    .filter(({ body }) => body.some((line) => MESSAGE.test(line)))
    .map(({ heading, body, from, to }) => finding(() => ({ ...heading, ...describe(body) }), from, to));
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
