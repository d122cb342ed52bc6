import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";

/** `::error file=…,line=…::message`, which many tools print for GitHub Actions. */
export const githubAnnotations: Parser = {
  name: "github",
  kind: "lint",
  marks: ["::error", "::warning"],
  parse,
};

const ANNOTATION = /^::(?<severity>error|warning)(?: (?<properties>.*?))?::(?<message>.*)$/;

function parse({ lines }: Log): readonly Finding[] {
  return lines.flatMap((line, index) => {
    const { severity, properties = "", message = "" } = ANNOTATION.exec(line)?.groups ?? {};
    if (severity === undefined || !/\bfile=/.test(properties)) return [];
    const {
      file,
      line: number,
      col,
    } = Object.fromEntries(properties.split(",").map((pair) => pair.split("=", 2)));
    const place = { file: unescaped(file), line: number, column: col };
    return [finding(() => ({ ...place, severity, message: unescaped(message) }), index)];
  });
}

function unescaped(text: string | undefined): string {
  return (text ?? "").replace(/%(25|0A|0D|3A|2C)/gi, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
