import type { Log } from "../log.ts";
import type { Caught } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { type Section, headings, toFinding } from "./sections.ts";

/** `::error file=…,line=…::message`, which many tools print for GitHub Actions. */
export const githubAnnotations: Parser = { name: "github", kind: "lint", parse };

const ANNOTATION = /^::(?<severity>error|warning)(?: (?<properties>.*?))?::(?<message>.*)$/;

function parse({ lines, beginning }: Log): readonly Finding[] {
  return headings(lines, beginning("::error", "::warning"), ANNOTATION)
    .filter(({ heading }) => /\bfile=/.test(heading["properties"] ?? ""))
    .map(toFinding(describe));
}

function describe({ heading: { severity, properties = "", message } }: Section): Caught {
  const { file, line, col } = Object.fromEntries(properties.split(",").map((pair) => pair.split("=", 2)));
  return { file: unescaped(file), line, column: col, severity, message: unescaped(message) };
}

function unescaped(text: string | undefined): string {
  return (text ?? "").replace(/%(25|0A|0D|3A|2C)/gi, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
