import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { GUARDS } from "../../../src/core/stop/guards.ts";

test("the page on how it decides lists the guards as they are asked", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../../docs/how-it-decides.md"), "utf8");
  const guards = GUARDS.filter(({ doors }) => doors.includes("stop-hook"));

  const list = guards.map(({ status, ended }, index) => `${index + 1}. \`${status}\`: ${ended}.`);

  expect(page).toContain(`\n\n${list.join("\n")}\n${guards.length + 1}. `);
});
