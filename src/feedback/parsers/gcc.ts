import { placedParser } from "./placed-parser.ts";

/** GCC and Clang; many compilers and linters print like them. */
export const gcc = placedParser({
  name: "gcc",
  kind: "build",
  says: (rest, { file }) => /^(?:fatal )?(?:error|warning): /.test(rest) && SOURCE.test(file),
});

const SOURCE = /\.(?:[chm]|cc|cpp|cxx|c\+\+|hh|hpp|hxx|inl|mm|cu|cuh|S)$/i;
