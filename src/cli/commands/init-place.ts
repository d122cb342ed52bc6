import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FILE, findProject } from "../../machine/files/find-project.ts";
import { Git } from "../../machine/git/git.ts";
import type { Prompt } from "../prompt.ts";
import { printLine, type Terminal } from "../terminal.ts";

/**
 * Where `init` writes. In a subdirectory of a repository that is the root, which gates every change, unless the user wants
 * this directory alone. Undefined when the question was cancelled.
 */
export async function choosePlace(
  { cwd, stdout }: Terminal,
  { here, prompt }: { readonly here?: boolean | undefined; readonly prompt: Prompt | undefined },
): Promise<string | undefined> {
  const top = await repositoryRoot(cwd);
  if (top === undefined || top === realpathSync(cwd) || existsSync(join(cwd, CONFIG_FILE))) return cwd;
  if (here)
    return say(stdout, cwd, "this directory alone: changes elsewhere in the repository are not checked");
  const project = findProject(cwd);
  if (project !== undefined) return say(stdout, project, "the project this directory belongs to");
  if (prompt === undefined)
    return say(stdout, top, "the root of the repository; --here takes the current directory instead");
  const answer = await prompt.ask(`This is a subdirectory. Set up the whole repository, ${top}?`, "yes");
  if (answer === "cancelled") return undefined;
  return answer === "yes"
    ? say(stdout, top, "the root of the repository")
    : say(stdout, cwd, "this directory alone: changes elsewhere in the repository are not checked");
}

function say(stdout: Terminal["stdout"], place: string, what: string): string {
  printLine(stdout, `Setting up ${place} (${what}).\n`);
  return place;
}

async function repositoryRoot(cwd: string): Promise<string | undefined> {
  const top = await new Git(cwd).ask(["rev-parse", "--show-toplevel"]);
  if (!top.ok || top.value.exitCode !== 0) return undefined;
  return top.value.stdout.toString().replace(/\n$/, "") || undefined;
}
