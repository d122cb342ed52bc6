import { readText } from "../system/files/files.ts";

/** Those of the settings files that no longer have the hook a session began with. */
export function unhookedFiles(files: readonly string[]): readonly string[] {
  return files.filter((path) => !startsUs(path));
}

/** Whether an agent that reads this settings file runs our stop hook. */
export function startsUs(path: string): boolean {
  const text = readText(path);
  return text.ok && /\bstop-hook\b/.test(text.value) && !/"disableAllHooks"\s*:\s*true/.test(text.value);
}
