/**
 * How many tests ran, by the summary a runner prints itself; undefined where none is recognised. A runner that prints one for each
 * package or crate ran all of them together. Skipped tests did not run.
 */
export function countTests(lines: readonly string[]): number | undefined {
  const short = lines.filter((line) => line.length < LONGEST_LINE);
  for (const read of SUMMARIES) {
    const counts = short.flatMap((line) => read(line) ?? []);
    if (counts.length > 0 && (read !== GO_TEST || short.some((line) => GO_PASS.test(line))))
      return counts.reduce((sum, count) => sum + count, 0);
  }
  return undefined;
}

const LONGEST_LINE = 400;

type ReadSummary = (line: string) => number | undefined;

function wordsIn(line: RegExp, ...words: readonly string[]): ReadSummary {
  const counted = new RegExp(String.raw`(\d+) (?:${words.join("|")})\b`, "gi");
  return (text) => {
    if (!line.test(text)) return undefined;
    return [...text.matchAll(counted)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
}

function allBut(line: RegExp, idle?: RegExp): ReadSummary {
  return (text) => {
    const all = line.exec(text)?.groups?.["all"];
    if (all === undefined) return undefined;
    return Number(all) - Number(idle?.exec(text)?.[1] ?? 0);
  };
}

/** Those that were skipped are counted first, and named on the next line. */
function unittest(line: string): number | undefined {
  const ran = /^Ran (\d+) tests? in [\d.]+s$/.exec(line)?.[1];
  const skipped = /^(?:OK|FAILED) \(.*\bskipped=(\d+)/.exec(line)?.[1];
  return ran === undefined && skipped === undefined ? undefined : Number(ran ?? 0) - Number(skipped ?? 0);
}

function each(line: RegExp): ReadSummary {
  return (text) => (line.test(text) ? 1 : undefined);
}

/** Without `-v` it lists only the tests that failed. */
const GO_TEST = each(/^\s*--- (?:PASS|FAIL): /);
const GO_PASS = /^\s*--- PASS: /;

/** The first that reads anything wins; those that could be mistaken for another come later. */
const SUMMARIES: readonly ReadSummary[] = [
  wordsIn(/^\s*Tests\s{2,}\d+ (?:passed|failed|skipped|todo).*\(\d+\)\s*$/, "passed", "failed"), // Vitest
  wordsIn(/^Tests:\s+.*\b\d+ total\s*$/, "passed", "failed"), // Jest
  wordsIn(/^\s*Tests:\s+\d+ .*\(\d+ assertions?\)/, "passed", "failed"), // Pest
  wordsIn(/^=*\s*(?:\d+ [a-z]+,? )+in \d[\d.:]*\s?s?\b/, "passed", "failed", "errors?", "xpassed"), // pytest
  allBut(/^Ran (?<all>\d+) tests? containing \d+ assertions?/), // clojure.test
  unittest,
  wordsIn(/^test result: \w+\. \d+ passed;/, "passed", "failed"), // cargo
  wordsIn(/^\s*Summary \[.*\] \d+ tests? run:/, "passed", "failed"), // nextest
  allBut(/^DONE (?<all>\d+) tests?/, /(\d+) skipped/), // gotestsum
  GO_TEST,
  allBut(/^(?:\[\w+\]\s+)*Tests run: (?<all>\d+), Failures: \d+(?!.*Time elapsed)/, /Skipped: (\d+)/), // Maven
  allBut(
    /^(?:\d+ doctests?, )?(?:\d+ propert\w+, )?(?<all>\d+) tests?, \d+ failures?/,
    /(\d+) (?:skipped|pending)/,
  ), // ExUnit, bats
  allBut(/^(?<all>\d+) examples?, \d+ failures?/, /(\d+) pending/), // RSpec
  allBut(/^(?<all>\d+) (?:runs|tests), \d+ assertions/, /(\d+) (?:skips|pendings|omissions)/), // minitest, test-unit, kaocha
  allBut(/^OK \((?<all>\d+) tests?[,)]/), // PHPUnit, JUnit 4
  allBut(/^Tests: (?<all>\d+), Assertions: \d+/, /Skipped: (\d+)/), // PHPUnit with remarks
  allBut(/\bFailed:\s+\d+, Passed:\s+\d+, Skipped:\s+\d+, Total:\s+(?<all>\d+)/, /Skipped:\s+(\d+)/), // dotnet test
  wordsIn(/^ok \| \d+ passed|^FAILED \| \d+ passed/, "passed", "failed"), // Deno
  allBut(/tests passed, \d+ tests? failed out of (?<all>\d+)/), // CTest
  allBut(/^\[=+\] (?<all>\d+) tests? from \d+ test (?:suites?|cases?) ran/), // GoogleTest
  allBut(/^(?:ℹ|#) (?:pass|fail) (?<all>\d+)$/), // node:test, TAP
  allBut(/^\s*(?<all>\d+) (?:passing|failing)\b/), // Mocha
  allBut(/^\s*(?<all>\d+) (?:pass|fail)$/), // Bun
  allBut(/^\s*(?<all>\d+) (?:tests? )?(?:passed|failed|flaky)(?: \([\d.]+m?s\))?$/), // Playwright, AVA
];
