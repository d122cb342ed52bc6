import { pointedParser } from "./pointed-parser.ts";

/** rustc, Clippy and whatever else Cargo runs to build. */
export const rustc = pointedParser({
  name: "rustc",
  kind: "build",
  arrows: ["-->", "┌─"],
  message: /^\s*(?:error|warning)(?:\[[\w:]+\])?: \S/,
});
