import { placedParser } from "./placed-parser.ts";

/** `go build` and `go vet`; `go test` prints the same before it gives up on a package. */
export const goBuild = placedParser({
  name: "go-build",
  kind: "build",
  says: (rest, { file, indent, column }) =>
    indent === 0 && file.endsWith(".go") && column !== undefined && /^\S/.test(rest),
});
