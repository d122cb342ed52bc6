import { lastName } from "../../../feedback/find-problems.ts";
import { cutText } from "../../../feedback/text/cut-text.ts";
import { languageOf } from "../languages.ts";

export interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

export interface Expectation {
  readonly was: string | undefined;
  readonly is: string | undefined;
  /** In the file as it is now. */
  readonly line: number;
}

/** Of a patch of one file without context. */
export function hunksOf(patch: string): readonly Hunk[] {
  return patch
    .split(/^(?=@@ )/m)
    .slice(1)
    .map((text) => {
      const [head = "", ...lines] = text.split("\n");
      const [, oldStart, newStart] = /^@@ -(\d+)\S* \+(\d+)/.exec(head) ?? [];
      const marked = (mark: string): readonly string[] =>
        lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1));
      return {
        oldStart: Number(oldStart),
        newStart: Number(newStart),
        removed: marked("-"),
        added: marked("+"),
      };
    });
}

interface FailedTest {
  readonly file: string;
  readonly test?: string | undefined;
  /** In the file as it was. */
  readonly line?: number | undefined;
  readonly oldText: string;
}

/** What a change made of the expectation that fails without it: at its line, else in its test, else where the change begins. */
export function expectationOf(failed: FailedTest, hunks: readonly Hunk[]): Expectation | undefined {
  const { line = 0 } = failed;
  const [first, last] = linesOfTest(failed) ?? [0, 0];
  const hunk =
    hunks.find((one) => isWithin(line, one)) ??
    hunks.find((one) => one.removed.length > 0 && one.oldStart >= first && one.oldStart <= last) ??
    hunks.find(({ removed }) => removed.length > 0) ??
    hunks[0];
  if (hunk === undefined) return undefined;
  const at = isWithin(line, hunk) ? line - hunk.oldStart : firstSaying(hunk.removed);
  const to = hunk.removed.length === hunk.added.length ? at : firstSaying(hunk.added);
  return { was: shown(hunk.removed[at]), is: shown(hunk.added[to]), line: Math.max(1, hunk.newStart + to) };
}

function isWithin(line: number, { oldStart, removed }: Hunk): boolean {
  return line >= oldStart && line < oldStart + removed.length;
}

function firstSaying(lines: readonly string[]): number {
  return Math.max(
    0,
    lines.findIndex((line) => /\w/.test(line)),
  );
}

function linesOfTest({ file, test, oldText }: FailedTest): readonly [number, number] | undefined {
  const language = languageOf(file);
  const lines = oldText.split("\n");
  const name = test === undefined ? "" : lastName(test);
  const start = name === "" ? -1 : lines.findIndex((line) => line.includes(name));
  if (start === -1) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => language?.test.test(line) === true);
  return [start + 1, length === -1 ? lines.length : start + 1 + length];
}

const LONGEST = 160;

function shown(line: string | undefined): string | undefined {
  const text = line?.trim() ?? "";
  return text === "" ? undefined : cutText(text, LONGEST);
}

export function inWords({ was, is }: Expectation): string {
  if (was === undefined) return `now has \`${is}\``;
  return is === undefined ? `had \`${was}\`, which is gone` : `had \`${was}\`, now has \`${is}\``;
}
