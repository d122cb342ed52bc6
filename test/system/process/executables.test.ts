import { expect, test } from "vitest";
import { quoteForBatch } from "../../../src/system/process/executables.ts";

/** `cmd` reads a line for a batch file twice, and each time takes off one caret. */
function asCmdReads(line: string): string {
  return line.replaceAll(/\^(.)/g, "$1");
}

test.each([
  ["plain", '"plain"'],
  ["two words", '"two words"'],
  ['{"a":"b"}', String.raw`"{\"a\":\"b\"}"`],
  ["%PATH% & del", '"%PATH% & del"'],
  ["C:\\dir\\", String.raw`"C:\dir\\"`],
])("the program behind a batch file gets %s as it is", (word, argument) => {
  expect(asCmdReads(asCmdReads(quoteForBatch(word)))).toBe(argument);
});
