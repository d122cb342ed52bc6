import { describe, expect, test } from "vitest";
import { gateLabels } from "../../src/report/plain-lines.ts";

describe("gateLabels", () => {
  test("a gate is called by its name, and by its id where two have the same", () => {
    const labelOf = gateLabels([
      { id: "check:.:lint", name: "lint" },
      { id: "check:web:test", name: "test" },
      { id: "check:api:test", name: "test" },
    ]);

    expect(["check:.:lint", "check:web:test", "check:gone:x"].map(labelOf)).toEqual([
      "lint",
      "check:web:test",
      "check:gone:x",
    ]);
  });
});
