import { placedParser } from "./placed-parser.ts";

/** mypy and Pyright. */
export const mypy = placedParser({
  name: "mypy",
  kind: "build",
  says: (rest, { file }) => /\.pyi?$/.test(file) && /^(?:error|warning): /.test(rest),
});
