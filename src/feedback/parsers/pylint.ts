import type { VerdictText } from "../read-verdict.ts";
import { placedParser } from "./placed-parser.ts";

/** Pylint, text and parseable. */
export const pylint = placedParser({
  name: "pylint",
  kind: "lint",
  says: (rest) => TEXT.test(rest) || PARSEABLE.test(rest),
  read,
});

const TEXT = /^(?<letter>[CRWEFI])\d{4}: (?<message>.*?)(?: \((?<name>[\w-]+)\))?$/;
const PARSEABLE = /^\[(?<letter>[CRWEFI])\d{4}\((?<name>[\w-]+)\),[^\]]*\] (?<message>.*)$/;

/** Only errors and fatal messages are errors; the rest is convention, refactoring, warning. */
function read(rest: string): VerdictText {
  const { letter = "", name, message = rest } = (TEXT.exec(rest) ?? PARSEABLE.exec(rest))?.groups ?? {};
  return {
    severity: letter === "E" || letter === "F" ? "error" : "warning",
    ...(name === undefined ? {} : { code: name }),
    message,
  };
}
