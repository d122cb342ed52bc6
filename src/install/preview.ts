import type { FileChange } from "./hook-registration.ts";

const CONTEXT = 2;

/** The change of one file as a diff, the way people read it before they agree. */
export function previewChange(file: string, before: string | undefined, change: FileChange): string {
  if (change.kind === "unchanged") return `  ${file}: nothing to change\n`;
  const old = linesOf(before ?? "");
  const changed = change.kind === "removed" ? [] : linesOf(change.text);
  const head = before === undefined ? "new file" : change.kind === "removed" ? "removed" : "changed";
  return [`  ${file} (${head})`, ...hunk(old, changed).map((line) => `    ${line}`), ""].join("\n");
}

/** Our edits are one insertion or one removal, give or take a comma: what lies between the common ends is the change. */
function hunk(old: readonly string[], changed: readonly string[]): readonly string[] {
  const head = commonLength(old, changed);
  const tail = commonLength(old.slice(head).toReversed(), changed.slice(head).toReversed());
  return [
    ...old.slice(Math.max(0, head - CONTEXT), head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...changed.slice(head, changed.length - tail).map((line) => `+ ${line}`),
    ...old.slice(old.length - tail, old.length - tail + CONTEXT).map((line) => `  ${line}`),
  ];
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const difference = one.findIndex((line, index) => line !== other[index]);
  return difference === -1 ? Math.min(one.length, other.length) : difference;
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return text
    .replace(/^\uFEFF/, "")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);
}
