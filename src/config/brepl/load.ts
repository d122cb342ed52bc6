import { join } from "node:path";
import { fail, ok, type Result } from "../../core/trouble.ts";
import { readText } from "../../machine/files/files.ts";
import { SourceText } from "../source-text.ts";
import { readHooks, type HookFile } from "./schema.ts";

/** Where the hooks are, from the directory the agent works in; no other directory is looked at. */
export const HOOKS_FILE = ".brepl/hooks.edn";

/** The hooks of a directory; none where there is no file. A file with an error in it is trouble: none of its hooks may run. */
export function loadHooks(cwd: string): Result<HookFile> {
  const text = readText(join(cwd, HOOKS_FILE));
  if (!text.ok) return text.trouble.kind === "file-missing" ? ok({ hooks: [], diagnostics: [] }) : text;
  const file = readHooks(new SourceText(HOOKS_FILE, text.value));
  const isInvalid = file.diagnostics.some(({ severity }) => severity === "error");
  return isInvalid ? fail({ kind: "config-invalid", diagnostics: file.diagnostics }) : ok(file);
}
