/** What an assertion says where its values stand below it. */
export function namesNothing(message: string): boolean {
  return NAMES_NOTHING.test(message);
}

const NAMES_NOTHING =
  /^$|^expect\(received\)|^Expected values to be|^expected .* to (?:be|equal|strictly equal) /;

/** How test runners show the two values of an assertion, where each fits on a line. */
const VALUES: readonly RegExp[] = [
  /^ *expected: (?<expected>.{1,60})\n *(?:received|actual|but was|got): +(?<actual>.{1,60})$/im,
  /^ *(?:actual|got): +(?<actual>.{1,60})\n *(?:expected|want): +(?<expected>.{1,60})$/im,
  /^ *- Expected.*\n *\+ Received.*\n\s*\n *- (?<expected>.{1,60})\n *\+ (?<actual>.{1,60})$/m,
  /^ *\+ expected - actual\n\s*\n *-(?<actual>.{1,60})\n *\+(?<expected>.{1,60})$/m,
  /^ *(?<actual>\S{1,60}) !== (?<expected>\S{1,60})$/m,
];

/** The expected and the actual value. */
export function valuesIn(excerpt: string): readonly (string | undefined)[] {
  for (const pattern of VALUES) {
    const { expected, actual } = pattern.exec(excerpt)?.groups ?? {};
    if (expected !== undefined && actual !== undefined) return [expected.trim(), actual.trim()];
  }
  return [];
}

/** The lines that show the values of an assertion, as one line: `Expected: 4, Received: 3`, or the first ones that differ. */
export function shownValues(excerpt: string): string {
  const lines = excerpt.split("\n").filter((line) => !/^\s*[-+] (?:Expected|Received)\b/.test(line));
  const named = lines.filter((line) => NAMED_VALUE.test(line)).slice(0, 2);
  const differing = [
    lines.find((line) => /^\s*- ?\S/.test(line)),
    lines.find((line) => /^\s*\+ ?\S/.test(line)),
  ];
  const shown = named.length > 0 ? named : differing.filter((line) => line !== undefined);
  return shown.map((line) => line.trim().replace(/\s+/g, " ")).join(", ");
}

const NAMED_VALUE = /^\s*(?:expected|received|actual|got|want|but was)\b[^:]{0,30}: *\S/i;
