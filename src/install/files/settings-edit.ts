import { join } from "node:path";
import { type Result, ok } from "../../core/trouble.ts";
import { readUserFile, removeUserFile, replaceUserFile } from "../../machine/files/user-file.ts";
import type { FileChange, HookRegistration } from "../hook-registration.ts";
import type { planInstall } from "../plan-hooks.ts";
import { isPlainJson } from "./settings-text.ts";

/** A planned change of one settings file. Nothing is written before `applyEdit`. */
export interface SettingsEdit {
  readonly path: string;
  /** Undefined where there is no file. */
  readonly before: string | undefined;
  readonly change: FileChange;
}

/** Reads the settings file of a project and plans; `plan` is `planInstall` or `planUninstall`. */
export async function prepareEdit(
  directory: string,
  registration: HookRegistration,
  plan: typeof planInstall,
): Promise<Result<SettingsEdit>> {
  const path = join(directory, registration.file);
  const text = await readUserFile(path);
  if (!text.ok) return text;
  const change = plan(text.value, registration);
  return change.ok ? ok({ path, before: text.value, change: change.value }) : change;
}

export async function applyEdit({ path, change }: SettingsEdit): Promise<Result<undefined>> {
  switch (change.kind) {
    case "unchanged":
      return ok(undefined);
    case "written":
      return replaceUserFile(path, change.text);
    case "removed":
      return removeUserFile(path);
  }
}

/** Whether the host would throw away what we are about to write, because it reads plain JSON only. */
export function isIgnoredByHost({ change }: SettingsEdit, { shape }: HookRegistration): boolean {
  return change.kind === "written" && shape.isStrictJson === true && !isPlainJson(change.text);
}

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
