import { explain, type Result } from "../trouble.ts";
import type { Prompt } from "../report/prompt.ts";
import { printLine, type Terminal } from "../report/terminal.ts";
import { join } from "node:path";
import { kindOf } from "../system/files/files.ts";
import { Git } from "../system/git/git.ts";
import { readUserFile, replaceUserFile } from "../system/files/user-file.ts";

/** A personal settings file that git would commit with the next `git add .`: says so, and offers to ignore it. */
export async function offerIgnore(
  terminal: Terminal,
  file: string,
  prompt: Prompt | undefined,
): Promise<void> {
  const fact = `${file} is yours alone, but git neither ignores nor tracks it.`;
  await offer(terminal, { file, fact, otherwise: "`git add .` commits it" }, prompt);
}

/** Where npm was used for this package only, nothing says that `node_modules` is not the project's. */
export async function offerIgnoreOfModules(terminal: Terminal, prompt: Prompt | undefined): Promise<void> {
  const file = "node_modules/";
  const fact = "Git does not ignore node_modules, so all its files count as changed.";
  await offer(terminal, { file, fact, otherwise: "checks are run on them" }, prompt);
}

interface Loose {
  readonly file: string;
  readonly fact: string;
  readonly otherwise: string;
}

async function offer(
  { cwd, stdout, stderr }: Terminal,
  { file, fact, otherwise }: Loose,
  prompt: Prompt | undefined,
): Promise<void> {
  if (!(await isLoose(cwd, file))) return;
  if (prompt === undefined || prompt.closed.aborted)
    return printLine(stdout, `! ${fact} Add it to .gitignore, or ${otherwise}.`);
  printLine(stdout, `\n${fact}`);
  if ((await prompt.ask("Add it to .gitignore?", "yes")) !== "yes") return;
  const ignored = await addToIgnored(cwd, file);
  printLine(ignored.ok ? stdout : stderr, ignored.ok ? "✓ Added to .gitignore" : explain(ignored.trouble));
}

/** Whether git would take a file with the next `git add .`: it is neither tracked nor ignored. */
async function isLoose(root: string, file: string): Promise<boolean> {
  const listed = await new Git(root).ask([
    "ls-files",
    "--others",
    "--exclude-standard",
    "--directory",
    "--",
    file,
  ]);
  return listed.ok && listed.value.exitCode === 0 && listed.value.stdout.toString().trim() !== "";
}

/** Those files, which need not exist yet, that git neither tracks nor ignores. */
export async function looseAmong(root: string, files: readonly string[]): Promise<readonly string[]> {
  const git = new Git(root);
  const loose: string[] = [];
  for (const file of files) {
    const ignored = await git.ask(["check-ignore", "--quiet", "--", file]);
    const tracked = await git.ask(["ls-files", "--", file]);
    const isUntracked = tracked.ok && tracked.value.stdout.length === 0;
    const isThere = !file.endsWith("/") || kindOf(join(root, file)) === "directory";
    if (ignored.ok && ignored.value.exitCode === 1 && isUntracked && isThere) loose.push(file);
  }
  return loose;
}

export async function addToIgnored(root: string, file: string): Promise<Result<undefined>> {
  const path = join(root, ".gitignore");
  const before = await readUserFile(path);
  if (!before.ok) return before;
  const text = before.value ?? "";
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" || text.endsWith("\n") ? "" : newline;
  return replaceUserFile(path, `${text}${gap}${file}${newline}`);
}
