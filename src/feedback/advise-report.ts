/** How a tool writes a report for machines beside its normal output. */
interface ReportAdvice {
  /** The tool as a command calls it. */
  readonly tool: RegExp;
  readonly flags: string;
  readonly report: string;
}

/** Only tools that keep printing what they print: a report must not cost the log. */
const ADVICE: readonly ReportAdvice[] = [
  {
    tool: /\bvitest\b/,
    flags: "--reporter=default --reporter=junit --outputFile=junit.xml",
    report: "junit.xml",
  },
  { tool: /\bjest\b/, flags: "--json --outputFile=jest.json", report: "jest.json" },
  { tool: /\b(?:pytest|py\.test)\b/, flags: "--junitxml=junit.xml", report: "junit.xml" },
  { tool: /\bphpunit\b/, flags: "--log-junit junit.xml", report: "junit.xml" },
  { tool: /\bmypy\b/, flags: "--junit-xml junit.xml", report: "junit.xml" },
];

/** What to add to a check so that its failures are read from a report; nothing for tools that write none, or a check that has one. */
export function adviseReport({
  command,
  report,
}: {
  readonly command: string;
  readonly report?: string;
}): string | undefined {
  const found = report === undefined ? ADVICE.find(({ tool }) => tool.test(command)) : undefined;
  return found === undefined
    ? undefined
    : `add \`${found.flags}\` to its command and \`report: ${found.report}\` to the check: a report is read more surely than a log`;
}
