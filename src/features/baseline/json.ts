import { line } from "../../report/json/json.ts";
import type { BaselineEntry } from "./baseline-file.ts";

/** What `baseline` found and did. */
export function baselineJson(
  draft: {
    readonly entries: readonly BaselineEntry[];
    readonly added: number;
    readonly removed: number;
    readonly undecided: readonly string[];
  },
  { file, written }: { readonly file: string; readonly written: boolean },
): string {
  const { entries, added, removed, undecided } = draft;
  const problems = entries.reduce((sum, { count }) => sum + count, 0);
  return line("baseline", { file, problems, added, removed, undecided, written });
}
