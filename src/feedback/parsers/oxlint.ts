import { pointedParser } from "./pointed-parser.ts";

/** oxlint, and other tools that draw their frames the same way. */
export const oxlint = pointedParser({
  name: "oxlint",
  kind: "lint",
  arrows: [",-[", "╭─["],
  message: /^\s*[×x✖⚠!] +\S/,
});
