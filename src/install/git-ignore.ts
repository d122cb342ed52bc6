import { join } from "node:path";
import type { Result } from "../core/trouble.ts";
import { Git } from "../machine/git/git.ts";
import { readUserFile, replaceUserFile } from "../machine/files/user-file.ts";

/** Whether git would take a file with the next `git add .`: it is neither tracked nor ignored. */
export async function isLoose(root: string, file: string): Promise<boolean> {
  const listed = await new Git(root).ask(["ls-files", "--others", "--exclude-standard", "--", file]);
  return listed.ok && listed.value.exitCode === 0 && listed.value.stdout.toString().trim() !== "";
}

/** Adds a line to the project's `.gitignore`, or makes one. */
export async function ignore(root: string, file: string): Promise<Result<undefined>> {
  const path = join(root, ".gitignore");
  const before = await readUserFile(path);
  if (!before.ok) return before;
  const text = before.value ?? "";
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" || text.endsWith("\n") ? "" : newline;
  return replaceUserFile(path, `${text}${gap}${file}${newline}`);
}
