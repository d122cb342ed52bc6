import type { RetryCounts } from "../../core/hook.ts";
import { printString, type EdnForm } from "./edn-form.ts";
import { readEdn } from "./edn-reader.ts";

/** `{"run-tests" 3, "lint" 1}`. */
export function printRetryCounts(counts: RetryCounts): string {
  const entries = [...counts].map(([name, count]) => `${printString(name)} ${count}`);
  return `{${entries.join(", ")}}\n`;
}

/** The counts in a state file; nothing when it is not a map of names to counts. */
export function readRetryCounts(text: string): RetryCounts | undefined {
  const { form, problems } = readEdn(text);
  if (form?.kind !== "map" || problems.length > 0) return undefined;
  const entries = form.entries.map(readEntry).filter((entry) => entry !== undefined);
  return entries.length === form.entries.length ? new Map(entries) : undefined;
}

function readEntry([name, count]: readonly [EdnForm, EdnForm]): [string, number] | undefined {
  if (name.kind !== "string" || count.kind !== "integer" || count.value < 0) return undefined;
  return [name.value, Number(count.value)];
}
