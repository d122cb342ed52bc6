import { pointedParser } from "./pointed-parser.ts";

/** Ruff's full output. */
export const ruff = pointedParser({
  name: "ruff",
  kind: "lint",
  arrows: ["-->"],
  message: /^(?:[A-Z]{1,5}\d{2,4}|[a-z]+(?:-[a-z]+)*:) (?:\[\*\] )?\S/,
});
