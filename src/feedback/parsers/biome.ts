import type { Log } from "../log.ts";
import { trimBlankLines, finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { sections } from "./sections.ts";

/** Biome: a ruled heading with place and rule, the message marked with its weight. */
export const biome: Parser = { name: "biome", kind: "lint", marks: ["━━━━"], parse };

const HEADING =
  /^(?<file>[^\s:]+\.\w+|[A-Za-z]:\S+?)(?::(?<line>\d+):(?<column>\d+))? (?<code>[\w/-]+)(?:\s+[A-Z ]+)?\s+━+$/;
const MESSAGE = /^\s{2}(?<mark>[×✖!⚠]) (?<message>.*)$/;

function parse({ lines }: Log): readonly Finding[] {
  return sections(lines, HEADING, /^\S.* ━+$|^(?:Checked|Skipped|Found) \d/).flatMap(
    ({ heading, body, from, to }) => {
      const at = body.findIndex((line) => MESSAGE.test(line));
      const { mark, message } = MESSAGE.exec(body[at] ?? "")?.groups ?? {};
      if (mark === undefined) return [];
      const severity = mark === "!" || mark === "⚠" ? "warning" : "error";
      return [
        finding({ ...heading, severity, message, excerpt: trimBlankLines(body.slice(at + 1)) }, from, to),
      ];
    },
  );
}
