import assert from "node:assert/strict";
import test from "node:test";
import { withTax } from "./price.js";

test("adds the tax", () => {
  assert.equal(withTax(1000, 0.19), 1190);
});
