import type { Log } from "../log.ts";
import { isFileName } from "../placed-text.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";

/** Formatters that only say which files they would change: Prettier, Black, Ruff, rustfmt. */
export const prettier: Parser = {
  name: "prettier",
  kind: "lint",
  parse: ({ lines, beginning }: Log): readonly Finding[] =>
    beginning(
      "[warn] ",
      "[error] ",
      "would reformat ",
      "Would reformat: ",
      "error: cannot ",
      "Diff in ",
    ).flatMap((index) => unformatted(lines[index] ?? "", index)),
};

const SHAPES = [
  /^\[warn\] (?<file>\S+)$/,
  /^\[error\] (?<file>[^:\s]+): (?<message>.+?) \((?<line>\d+):(?<column>\d+)\)$/,
  /^(?:would reformat|Would reformat:) (?<file>.+)$/,
  /^error: cannot format (?<file>.+?): (?<message>.+?:? ?(?<line>\d+):(?<column>\d+).*|.+)$/,
  /^Diff in (?<file>.+?):(?<line>\d+):?$/,
] as const;

function unformatted(line: string, index: number): readonly Finding[] {
  const found = SHAPES.map((shape) => shape.exec(line)?.groups).find((groups) =>
    isFileName(groups?.["file"] ?? ""),
  );
  if (found === undefined) return [];
  const message = found["message"] ?? "is not formatted as the formatter would";
  return [finding(() => ({ ...found, message }), index)];
}
