import { join } from "node:path";
import { type Result, ok } from "../core/trouble.ts";
import { readUserFile, removeUserFile, replaceUserFile } from "../machine/files/user-file.ts";
import type { FileChange, HookRegistration } from "./hook-registration.ts";
import type { planInstall } from "./plan-hooks.ts";
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
