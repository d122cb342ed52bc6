import { expect, test } from "vitest";
import { PARSER_NAMES } from "../../src/feedback/parser-names.ts";
import { PARSERS } from "../../src/feedback/parsers/table.ts";

test("a check may name every parser there is, and none", () => {
  expect(PARSER_NAMES).toEqual(["none", ...new Set(PARSERS.map(({ name }) => name))]);
});
