import { readVerdict } from "../read-verdict.ts";
import { placedParser } from "./placed-parser.ts";

/** flake8, and Ruff's concise output: all that they print is to be repaired. */
export const flake8 = placedParser({
  name: "flake8",
  kind: "lint",
  says: (rest, { file, column }) => /\.(?:pyi?|ipynb)$/.test(file) && column !== undefined && CODE.test(rest),
  read: (rest) => readVerdict(rest.replace(/^(\S+) \[\*\] /, "$1 ")),
});

const CODE = /^[A-Z]{1,4}\d{2,4} \S/;
