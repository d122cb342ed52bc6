import { explain, type Result } from "../../core/trouble.ts";
import type { Prompt } from "../prompt.ts";
import { printLine, type Terminal } from "../output/terminal.ts";
import { join } from "node:path";
import { Git } from "../../machine/git/git.ts";
import { readUserFile, replaceUserFile } from "../../machine/files/user-file.ts";

/** A personal settings file that git would commit with the next `git add .`: says so, and offers to ignore it. */
export async function offerIgnore(
  terminal: Terminal,
  file: string,
  prompt: Prompt | undefined,
): Promise<void> {
  const { cwd, stdout, stderr } = terminal;
  if (!(await isLoose(cwd, file))) return;
  const fact = `${file} is yours alone, but git neither ignores nor tracks it.`;
  if (prompt === undefined || prompt.closed.aborted)
    return printLine(stdout, `! ${fact} Add it to .gitignore, or \`git add .\` commits it.`);
  printLine(stdout, `\n${fact}`);
  if ((await prompt.ask("Add it to .gitignore?", "yes")) !== "yes") return;
  const ignored = await ignore(cwd, file);
  printLine(ignored.ok ? stdout : stderr, ignored.ok ? "✓ Added to .gitignore" : explain(ignored.trouble));
}

/** Whether git would take a file with the next `git add .`: it is neither tracked nor ignored. */
async function isLoose(root: string, file: string): Promise<boolean> {
  const listed = await new Git(root).ask(["ls-files", "--others", "--exclude-standard", "--", file]);
  return listed.ok && listed.value.exitCode === 0 && listed.value.stdout.toString().trim() !== "";
}

/** Adds a line to the project's `.gitignore`, or makes one. */
async function ignore(root: string, file: string): Promise<Result<undefined>> {
  const path = join(root, ".gitignore");
  const before = await readUserFile(path);
  if (!before.ok) return before;
  const text = before.value ?? "";
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" || text.endsWith("\n") ? "" : newline;
  return replaceUserFile(path, `${text}${gap}${file}${newline}`);
}
