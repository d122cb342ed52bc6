import { identify, type Finding } from "../../gates/review/finding.ts";
import { isSource } from "./gone-from-source.ts";
import { languageOf } from "./languages.ts";
import { normal, type PatchedFile, type PatchLine } from "./patched-file.ts";

/** A new branch of the source for one literal, with a literal as its answer. */
export interface SpecialCase {
  readonly literal: string;
  readonly finding: Finding;
}

/** Suspicions, for a person to look at: source that knows the tests. */
export function specialCases(files: readonly PatchedFile[]): readonly SpecialCase[] {
  return files
    .filter(({ file }) => isSource(file))
    .flatMap(({ file, lines }) =>
      lines.flatMap((line, at): readonly SpecialCase[] => {
        const literal = line.kind === "added" ? literalIn(line.text) : undefined;
        if (literal === undefined || !answers(line, lines[at + 1])) return [];
        const issue = `perhaps the answer to one test, written into the source: \`${cut(line.text)}\``;
        const fix = "Compute the answer.";
        return [{ literal, finding: identify({ file, line: line.line, issue, fix, priority: "high" }) }];
      }),
    );
}

/** Source that asks whether a test runner runs it. */
export function asksForTests(files: readonly PatchedFile[]): readonly Finding[] {
  return files
    .filter(({ file }) => isSource(file) && !/\.config\.\w+$/.test(file))
    .flatMap(({ file, lines }) =>
      lines
        .filter(
          ({ kind, text }) =>
            kind === "added" && ASKS.test(text) && languageOf(file)?.comment.test(text) === false,
        )
        .map(({ line, text }) =>
          identify({
            file,
            line,
            issue: `source that acts differently under a test runner: \`${cut(text)}\``,
            fix: 'Remove it. If it has to stay, answer with "skipped" and the reason.',
            priority: "high",
          }),
        ),
    );
}

const ASKS =
  /\bprocess\.env(?:\.|\[["'])(?:VITEST|JEST_WORKER_ID|NODE_TEST_CONTEXT)\b|\bPYTEST_CURRENT_TEST\b|["']pytest["']\s+(?:not\s+)?in\s+sys\.modules|\btesting\.Testing\(\)/;

function literalIn(text: string): string | undefined {
  const { text: quoted, number } = BRANCH.exec(text)?.groups ?? {};
  return quoted ?? number;
}

/** Short and round values are ordinary limits. */
const BRANCH =
  /(?:\b(?:if|elif|when|while)\b.*(?:===?|\.equals\(|\bis\b)\s*|\bcase\s+|\?\?=?\s*|===?\s*)(?:(?<quote>["'`])(?<text>[^"'`\\]{2,})\k<quote>|(?<number>-?\d*[1-9]\d+(?:\.\d+)?|\d+\.\d+))(?=\s*(?:\)|:|\?|&&|\{|=>|$))/;

function answers({ text }: PatchLine, next: PatchLine | undefined): boolean {
  return LITERAL_ANSWER.test(text) || (next?.kind === "added" && LITERAL_ANSWER.test(next.text));
}

const LITERAL_ANSWER =
  /(?:\breturn\b\s*|\?\s*|=>\s*|=\s*)(?:"[^"]*"|'[^']*'|`[^`$]*`|-?\d[\d._]*|true|false|True|False|\[[^\]a-z]*\]|\{[^}]*\})\s*(?:;|:|\}|$)/;

const LONGEST = 100;

function cut(text: string): string {
  const one = normal(text).replaceAll("`", "'");
  return one.length > LONGEST ? `${one.slice(0, LONGEST - 1)}…` : one;
}
