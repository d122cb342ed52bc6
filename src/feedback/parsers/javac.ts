import { placedParser } from "./placed-parser.ts";

/** The Java compiler. */
export const javac = placedParser({
  name: "javac",
  kind: "build",
  says: (rest, { file }) => file.endsWith(".java") && /^(?:error|warning): /.test(rest),
});
