/** One problem in one configuration file, with its place. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** As shown to the user: relative to the project root where possible. */
  readonly file: string;
  /** 1-based; absent when the problem is the file itself. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** The offending line of the file. */
  readonly excerpt?: string;
  /** What to type next. */
  readonly hint?: string;
}

/** `file:line:column: error: message`, the form editors and terminals make clickable, with hint and excerpt below. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, column, severity, message, excerpt, hint } = diagnostic;
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  const pointer = excerpt === undefined ? [] : [`    ${excerpt}`, `    ${" ".repeat(caretOffset(column))}^`];
  const advice = hint === undefined ? [] : [`  → ${hint}`];
  return [`${place}: ${severity}: ${message}`, ...pointer, ...advice].join("\n");
}

/** The same on one line, for places where a line is all there is. */
export function diagnosticLine({ file, line, column, message, hint }: Diagnostic): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return `${place}: ${message}${hint === undefined ? "" : ` → ${hint}`}`;
}

function caretOffset(column = 1): number {
  return Math.max(0, column - 1);
}
