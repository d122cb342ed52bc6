/** A line of pytest's short summary. */
export interface Summarised {
  readonly file: string;
  /** `TestMore.test_text[2]`, as the headings have it; absent when the file could not be collected. */
  readonly test?: string | undefined;
  readonly message?: string | undefined;
  readonly index: number;
}

const SUMMARY = /^(?:FAILED|ERROR) (?<file>[^\s:]+\.pyx?)(?:::(?<test>.+?))?(?: - (?<message>.*))?$/;

export function summaryOf(lines: readonly string[]): readonly Summarised[] {
  return lines.flatMap((line, index) => {
    const { file, test, message } = SUMMARY.exec(line)?.groups ?? {};
    return file === undefined ? [] : [{ file, test: test?.replaceAll("::", "."), message, index }];
  });
}

/** A failure as `--tb=line` prints it, without the test's name. */
export interface Bare {
  readonly file: string;
  readonly line: string;
  readonly message: string;
  readonly index: number;
}

const BARE = /^(?<file>\/\S+\.py):(?<line>\d+): (?!in )(?<message>\S.*)$/;

export function bareFailures(lines: readonly string[]): readonly Bare[] {
  const start = lines.findIndex((line) => /^=+ FAILURES =+$/.test(line));
  if (start === -1) return [];
  const length = lines.slice(start + 1).findIndex((line) => /^={3,} .* ={3,}$/.test(line));
  return lines.slice(start, length === -1 ? undefined : start + 1 + length).flatMap((text, offset) => {
    const { file, line, message } = BARE.exec(text)?.groups ?? {};
    if (file === undefined || line === undefined || message === undefined) return [];
    return [{ file, line, message, index: start + offset }];
  });
}
