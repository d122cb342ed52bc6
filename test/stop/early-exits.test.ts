import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { EARLY_EXITS } from "../../src/stop/early-exits.ts";

test("the page on how it decides lists the early exits in the order they are asked", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/how-it-decides.md"), "utf8");

  const listed = [...page.matchAll(/^\d+\. `(\w+)`: /gm)].map(([, status]) => status);

  expect(listed.join()).toContain(EARLY_EXITS.map(({ status }) => status).join());
});
