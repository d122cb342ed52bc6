import { placedParser } from "./placed-parser.ts";

/** The TypeScript compiler, plain and pretty. */
export const tsc = placedParser({
  name: "tsc",
  kind: "build",
  says: (rest) => /^(?:error|warning) TS\d+: /.test(rest),
});
