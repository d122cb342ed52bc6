/** What a test run came to, where it was not green. */
export interface RedSummary {
  readonly failures: number;
  readonly errors: number;
}

/**
 * Finds a red `clojure.test` summary in what an evaluation gave back. `run-tests` never throws: it answers
 * `{:test 3, :pass 2, :fail 1, :error 0, :type :summary}`, and in ClojureScript prints the same and answers `nil`.
 */
export function findRedSummary(values: readonly string[], printed: string): RedSummary | undefined {
  const red = values.map(redSummaryIn).find((summary) => summary !== undefined);
  if (red) return red;
  return values.at(-1) === "nil" ? redReport(printed) : undefined;
}

const LONGEST_VALUE = 64 * 1024;
const STRING = /"(?:[^"\\]|\\.)*"/gs;
const INNERMOST_MAP = /\{[^{}]*\}/g;
const REPORT = /Ran \d+ tests? containing \d+ assertions?\.\s+(\d+) failures?, (\d+) errors?\.\s*$/;

function redSummaryIn(value: string): RedSummary | undefined {
  let rest = value.slice(0, LONGEST_VALUE).replace(STRING, '""');
  for (let maps = rest.match(INNERMOST_MAP); maps; maps = rest.match(INNERMOST_MAP)) {
    const red = maps.map(redMap).find((summary) => summary !== undefined);
    if (red) return red;
    rest = rest.replace(INNERMOST_MAP, "_");
  }
  return undefined;
}

/** A map with counts for passes, failures and errors is a summary; other runners put the keys into a namespace. */
function redMap(map: string): RedSummary | undefined {
  const [passes, failures, errors] = ["pass", "fail", "error"].map((key) => countOf(map, key));
  if (passes === undefined || failures === undefined || errors === undefined) return undefined;
  return failures + errors > 0 ? { failures, errors } : undefined;
}

function countOf(map: string, key: string): number | undefined {
  const digits = new RegExp(`:(?:[\\w.-]+/)?${key}\\s+(\\d+)`).exec(map)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function redReport(printed: string): RedSummary | undefined {
  const match = REPORT.exec(printed);
  const [failures, errors] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  return failures + errors > 0 ? { failures, errors } : undefined;
}
