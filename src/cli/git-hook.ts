import { join, relative, resolve } from "node:path";
import { explain } from "../core/trouble.ts";
import { planPrePush } from "../install/git-hook.ts";
import { chooseHookCommand } from "../install/hook-command.ts";
import { previewChange } from "../install/preview.ts";
import { findProject } from "../machine/files/find-project.ts";
import { makeExecutable, readUserFile, replaceUserFile } from "../machine/files/user-file.ts";
import { Git } from "../machine/git/git.ts";
import { findPlaces, type GitPlaces } from "../machine/git/places.ts";
import { confirm } from "./confirm.ts";
import { EXIT } from "./exit-code.ts";
import { installationOf, runningProgram } from "./installation.ts";
import { printLine, type Terminal } from "./terminal.ts";

interface GitHookOptions {
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

/** Adds `verify --pre-push` to the repository's pre-push hook, and nothing else. */
export async function installGitHook(terminal: Terminal, { dryRun, yes }: GitHookOptions): Promise<number> {
  const { stdout } = terminal;
  const git = new Git(terminal.cwd);
  const places = await findPlaces(git);
  if (places === undefined) return refuse(terminal, "There is no git repository here.");
  const command = chooseHookCommand(installationOf(runningProgram(), terminal), "verify --pre-push");
  const managed = await managedHooks(git, places);
  if (managed !== undefined) return refuse(terminal, leftAlone(managed, SET_BY_GIT, command.line));
  const path = join(places.commonDir, "hooks", "pre-push");
  const before = await readUserFile(path);
  if (!before.ok) return refuse(terminal, explain(before.trouble));
  const directory = relative(places.top, findProject(terminal.cwd) ?? terminal.cwd) || ".";
  const plan = planPrePush(before.value, { command: command.line, directory });
  const shown = relative(terminal.cwd, path);
  if (plan.kind === "left-alone") return refuse(terminal, leftAlone(shown, plan.why, command.line));
  const change =
    plan.kind === "present" ? ({ kind: "unchanged" } as const) : { ...plan, kind: "written" as const };
  stdout.write(previewChange(shown, before.value, change));
  if (plan.kind === "present" || dryRun) return EXIT.ok;
  if (!yes && !(await confirm(terminal, "Change this file?")))
    return refuse(terminal, "Nothing was changed.");
  const written = await replaceUserFile(path, plan.text);
  const done = written.ok ? await makeExecutable(path) : written;
  if (!done.ok) return refuse(terminal, explain(done.trouble));
  printLine(stdout, `✓ Every push is verified now (${shown}).`);
  return EXIT.ok;
}

const SET_BY_GIT = "`core.hooksPath` says so";

/** Where git looks for hooks in place of its own directory, if so: that is what hook managers and teams set. */
async function managedHooks(git: Git, { top, commonDir }: GitPlaces): Promise<string | undefined> {
  const asked = ["config", "--null", "--show-scope", "--type=path", "--get-all", "core.hooksPath"];
  const answer = await git.output(asked);
  if (!answer.ok) return undefined;
  const words = answer.value.toString().split("\0");
  const values = words.filter((_, index) => index % 2 === 1 && words[index - 1] !== "command"); // ours switches hooks off
  const value = values.at(-1);
  if (value === undefined || resolve(top, value) === join(commonDir, "hooks")) return undefined;
  return join(value, "pre-push");
}

function leftAlone(file: string, why: string, command: string): string {
  return [
    `${file} is left alone: ${why}. Nothing was changed.`,
    "Have it run this on every push, with git's lines on stdin:",
    `  ${command} <name of the remote>`,
  ].join("\n");
}

function refuse({ stderr }: Terminal, message: string): number {
  printLine(stderr, message);
  return EXIT.notOk;
}
