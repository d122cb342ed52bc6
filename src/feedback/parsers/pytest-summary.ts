import type { Log } from "../log.ts";
import { headings } from "./sections.ts";

/** A line of pytest's short summary. */
export interface Summarised {
  readonly file: string;
  /** `TestMore.test_text[2]`, as the headings have it; absent when the file could not be collected. */
  readonly test?: string | undefined;
  readonly message?: string | undefined;
  readonly index: number;
}

const SUMMARY = /^(?:FAILED|ERROR) (?<file>[^\s:]+\.pyx?)(?:::(?<test>.+?))?(?: - (?<message>.*))?$/;

export function summaryOf({ lines, beginning }: Log): readonly Summarised[] {
  return headings(lines, beginning("FAILED ", "ERROR "), SUMMARY).map(({ heading, from }) => {
    const { file = "", test, message } = heading;
    return { file, test: test?.replaceAll("::", "."), message, index: from };
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

export function bareFailures({ lines, beginning }: Log): readonly Bare[] {
  const ruled = beginning("=").filter((index) => /^={3,} .* ={3,}$/.test(lines[index] ?? ""));
  const at = ruled.findIndex((index) => /^=+ FAILURES =+$/.test(lines[index] ?? ""));
  if (at === -1) return [];
  const [start = 0, end = lines.length] = ruled.slice(at);
  return headings(lines, beginning("/"), BARE)
    .filter(({ from }) => from > start && from < end)
    .map(({ heading, from }) => {
      const { file = "", line = "", message = "" } = heading;
      return { file, line, message, index: from };
    });
}
