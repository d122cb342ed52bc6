interface ReportAdvice {
  readonly tool: RegExp;
  readonly flags: (file: string) => string;
  readonly extension: "xml" | "json";
}

/** Only tools that keep printing what they print: a report must not cost the log. */
const ADVICE: readonly ReportAdvice[] = [
  {
    tool: /\bvitest\b/,
    flags: (file) => `--reporter=default --reporter=junit --outputFile=${file}`,
    extension: "xml",
  },
  { tool: /\bjest\b/, flags: (file) => `--json --outputFile=${file}`, extension: "json" },
  { tool: /\b(?:pytest|py\.test)\b/, flags: (file) => `--junitxml=${file}`, extension: "xml" },
  { tool: /\bphpunit\b/, flags: (file) => `--log-junit ${file}`, extension: "xml" },
  { tool: /\bmypy\b/, flags: (file) => `--junit-xml ${file}`, extension: "xml" },
];

/**
 * What to add to a check so that its failures are read from a report; nothing for tools that write none, or a check that has one.
 * Each check gets its own file, and git ignores it: a file that changes in every run would make every stop run the gates again.
 */
export function adviseReport({
  name,
  command,
  report,
}: {
  readonly name: string;
  readonly command: string;
  readonly report?: string;
}): string | undefined {
  const found = report === undefined ? ADVICE.find(({ tool }) => tool.test(command)) : undefined;
  if (found === undefined) return undefined;
  const file = `report-${name.replaceAll(/[^\w.-]/g, "-")}.${found.extension}`;
  return `add \`${found.flags(file)}\` to its command, \`report: ${file}\` to the check, and \`${file}\` to .gitignore: a report is read more surely than a log`;
}
