import type { FilePatch } from "../../system/git/parse-patch.ts";
import type { ProjectPath } from "../../path.ts";

export interface PatchedFile {
  readonly file: ProjectPath;
  readonly isNew: boolean;
  readonly isDeleted: boolean;
  readonly renamedFrom?: string | undefined;
  readonly hunks: readonly (readonly PatchLine[])[];
  /** What git prints after `@@`: the last unindented line before the hunk. */
  readonly headings: readonly string[];
  readonly lines: readonly PatchLine[];
}

export interface PatchLine {
  readonly kind: "added" | "removed" | "kept";
  readonly text: string;
  readonly line: number;
  readonly hunk: number;
  readonly at: number;
}

/** Longer lines are generated, and slow to match. */
const LONGEST_LINE = 2_000;

export function patchedFile({ file, text }: FilePatch): PatchedFile {
  const [header = "", ...hunks] = text.split(/^(?=@@ )/m);
  const read = hunks.map(linesOf);
  return {
    file,
    isNew: /^new file mode /m.test(header),
    isDeleted: /^deleted file mode /m.test(header),
    renamedFrom: /^rename from "?([^"\n]+)/m.exec(header)?.[1],
    hunks: read,
    headings: hunks.map((hunk) => /^@@ .*? @@(.*)/.exec(hunk)?.[1]?.trim() ?? ""),
    lines: read.flat(),
  };
}

const KINDS: Readonly<Record<string, PatchLine["kind"]>> = { "+": "added", "-": "removed", " ": "kept" };

function linesOf(hunk: string, number: number): readonly PatchLine[] {
  const [head = "", ...body] = hunk.split("\n");
  let at = 0;
  let line = Number(/^@@ -\S+ \+(\d+)/.exec(head)?.[1] ?? 1);
  return body.flatMap((marked): PatchLine[] => {
    const kind = KINDS[marked.charAt(0)];
    if (kind === undefined) return [];
    const text = marked.slice(1, LONGEST_LINE).replace(/\r$/, "");
    return [{ kind, text, line: kind === "removed" ? Math.max(1, line) : line++, hunk: number, at: at++ }];
  });
}

export function normal(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

export class Tally {
  readonly #counts = new Map<string, number>();

  constructor(values: Iterable<string>) {
    for (const value of values) this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  count(value: string): number {
    return this.#counts.get(value) ?? 0;
  }

  take(value: string): boolean {
    const left = this.count(value);
    if (left > 0) this.#counts.set(value, left - 1);
    return left > 0;
  }
}
