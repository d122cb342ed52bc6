import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { EARLY_EXITS } from "../../../src/core/stop/early-exits.ts";

test("the page on how it decides lists the early exits in the order they are asked", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../../docs/how-it-decides.md"), "utf8");
  const exits = EARLY_EXITS.filter(({ doors }) => doors.includes("stop-hook"));

  const list = exits.map(({ status, ended }, index) => `${index + 1}. \`${status}\`: ${ended}.`);

  expect(page).toContain(`\n\n${list.join("\n")}\n${exits.length + 1}. `);
});
