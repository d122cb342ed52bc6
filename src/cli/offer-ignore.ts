import { explain } from "../core/trouble.ts";
import { ignore, isLoose } from "../install/git-ignore.ts";
import type { Prompt } from "./prompt.ts";
import { printLine, type Terminal } from "./terminal.ts";

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
