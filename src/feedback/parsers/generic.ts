import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";

/**
 * `file:line:column: message` and its relatives, which most compilers and linters print. Lines that only mention a place (stack
 * frames, notes, debug output) are not problems.
 */
export const generic: Parser = {
  name: "generic",
  kind: "lint",
  marks: [":", "("],
  parse: (lines) => lines.flatMap((line, index) => placedMessage(line, index)),
};

const PLACED = [
  /^\s{0,8}(?:\[?(?<word>error|warning|warn|fatal)\]?:? +)?(?<file>(?:[A-Za-z]:[\\/])?[^\s:()"'`<>|*?=,;]+):(?<line>\d{1,6})(?::(?<column>\d{1,5}))?(?:-\d+(?::\d+)?)?:? *(?:-+ +)?(?<rest>\S.*)$/i,
  /^\s{0,8}(?<file>(?:[A-Za-z]:[\\/])?[^\s:()"'`<>|*?=,;]+)\((?<line>\d{1,6})(?:,(?<column>\d{1,5}))?(?:,\d+)*\): *(?<rest>\S.*)$/,
] as const;

/** A name with an extension or a directory; not a host, a time, a version or a URL. */
const FILE_LIKE =
  /^(?!https?\b)(?:.*[\\/])?(?:[^\\/]*[A-Za-z_][^\\/]*\.[A-Za-z][\w+-]{0,11}|(?:Make|Docker|Rake|Gem|Jenkins|Just|Brew)file)$/;

const HARMLESS = /^(?:note|info|debug|trace|log|hint|help|remark|verbose|running|ok|passed|PASS)\b/i;

const SEVERITY =
  /^(?:\[?(?<severity>fatal error|fatal|error|warning|warn|err)\]?\b(?:\[(?<code>[\w-]+)\])?:? *-? *)?(?<message>.+)$/i;

function placedMessage(line: string, index: number): readonly Finding[] {
  if (!/[:(]\d/.test(line)) return [];
  const place = PLACED.map((shape) => shape.exec(line)?.groups).find(isAboutAFile);
  if (place === undefined) return [];
  const said = SEVERITY.exec(place["rest"] ?? "")?.groups;
  return [finding({ ...place, ...said, severity: place["word"] ?? said?.["severity"] }, index)];
}

function isAboutAFile(place: Readonly<Record<string, string>> | undefined): boolean {
  return place !== undefined && FILE_LIKE.test(place["file"] ?? "") && !HARMLESS.test(place["rest"] ?? "");
}
