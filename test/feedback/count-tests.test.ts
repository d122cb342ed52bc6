import { expect, test } from "vitest";
import { countTests } from "../../src/feedback/count-tests.ts";

test.each([
  ["Vitest", " Test Files  2 passed (2)\n      Tests  5 passed | 2 skipped (7)", 5],
  ["Jest", "Test Suites: 1 passed, 1 total\nTests:       1 skipped, 5 passed, 6 total", 5],
  ["Mocha", "  5 passing (12ms)\n  1 failing", 6],
  ["node:test", "ℹ tests 6\nℹ pass 5\nℹ fail 0\nℹ skipped 1", 5],
  ["TAP", "# tests 5\n# pass 5", 5],
  ["Bun", " 5 pass\n 0 fail\n 9 expect() calls", 5],
  ["Deno", "ok | 5 passed | 0 failed (20ms)", 5],
  ["Playwright", "  5 passed (3.2s)", 5],
  ["pytest", "===== 5 passed, 1 skipped in 0.12s =====", 5],
  ["pytest -q", "5 passed, 2 warnings in 1.02s", 5],
  ["unittest", "Ran 6 tests in 0.001s\n\nOK (skipped=1)", 5],
  [
    "cargo",
    "test result: ok. 3 passed; 0 failed; 1 ignored\ntest result: ok. 2 passed; 0 failed; 0 ignored",
    5,
  ],
  ["nextest", "     Summary [   0.050s] 5 tests run: 5 passed, 1 skipped", 5],
  ["go test -v", "--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\n--- SKIP: TestC (0.00s)", 2],
  ["gotestsum", "DONE 6 tests, 1 skipped in 0.1s", 5],
  [
    "Maven",
    "[INFO] Tests run: 6, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s - in ATest\n[INFO] Tests run: 6, Failures: 0, Errors: 0, Skipped: 1",
    5,
  ],
  ["RSpec", "6 examples, 0 failures, 1 pending", 5],
  ["minitest", "6 runs, 8 assertions, 0 failures, 0 errors, 1 skips", 5],
  ["PHPUnit", "OK (5 tests, 8 assertions)", 5],
  ["PHPUnit with remarks", "Tests: 6, Assertions: 8, Skipped: 1.", 5],
  ["Pest", "  Tests:    1 skipped, 5 passed (8 assertions)", 5],
  ["dotnet test", "Passed!  - Failed:     0, Passed:     5, Skipped:     1, Total:     6, Duration: 9 ms", 5],
  ["clojure.test", "Ran 5 tests containing 8 assertions.\n0 failures, 0 errors.", 5],
  ["ExUnit", "2 doctests, 6 tests, 0 failures, 1 skipped", 5],
  ["CTest", "100% tests passed, 0 tests failed out of 5", 5],
])("reads the summary of %s", (_, log, count) => {
  const counted = countTests(log.split("\n"));

  expect(counted).toBe(count);
});

test("a log without a summary says nothing", () => {
  const counted = countTests(["all good", "12 files formatted", "ok  \tgithub.com/a/b\t0.1s"]);

  expect(counted).toBeUndefined();
});
