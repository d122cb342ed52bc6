import { EXIT } from "../../report/exit-code.ts";
import { Prompt } from "../../report/prompt.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import { absolutePath } from "../../path.ts";
import { findProject } from "../../system/files/find-project.ts";
import { Git } from "../../system/git/git.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import { explain } from "../../trouble.ts";
import { counted } from "../../words.ts";
import { auditHooks } from "./audit-hooks.ts";
import { chooseHooks, findHooks } from "./find-hooks.ts";
import type { FoundHook } from "./found-hook.ts";
import { auditJson } from "./json.ts";
import { showHook, showVerdicts } from "./show-audit.ts";
import { holds } from "./verdicts.ts";

export interface AuditOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Fails unless every hook holds the agent. Runs nothing before the user has seen it and said yes. */
export async function auditCommand(
  terminal: Terminal,
  names: readonly string[],
  { yes, json }: AuditOptions,
): Promise<number> {
  const { stdout, stderr } = terminal;
  const root = await rootOf(terminal.cwd);
  const found = await findHooks(root);
  const hooks = names.length === 0 ? found : chooseHooks(found, names, root);
  if ("unknown" in hooks) {
    printLine(stderr, `No stop hook or script of this project is called ${hooks.unknown}.${known(found)}`);
    return EXIT.notOk;
  }
  if (json !== true) {
    if (hooks.length === 0) {
      printLine(stdout, "This project has no stop hook of its own: nothing to audit.");
      return EXIT.ok;
    }
    for (const hook of hooks) showHook(terminal, hook);
  }
  if (hooks.length > 0 && yes !== true && !(await isAllowed(terminal, hooks, json))) return EXIT.notOk;

  using cancel = cancellation();
  const audit = await auditHooks(hooks, { root, env: terminal.env, signal: cancel.signal });
  if (!audit.ok) {
    printLine(stderr, explain(audit.trouble));
    return EXIT.notOk;
  }
  const { hooks: audited, network } = audit.value;
  if (json === true) printLine(stdout, auditJson(audited, network));
  else {
    if (network) printLine(stdout, "The network could not be cut on this system.");
    for (const one of audited) showVerdicts(terminal, one);
  }
  return audited.every(({ verdicts }) => holds(verdicts)) ? EXIT.ok : EXIT.notOk;
}

async function rootOf(cwd: string): Promise<string> {
  const project = findProject(cwd);
  if (project !== undefined) return project;
  const top = await new Git(cwd).output(["rev-parse", "--show-toplevel"]);
  return absolutePath(top.ok ? top.value.toString().trim() : cwd);
}

function known(hooks: readonly FoundHook[]): string {
  const names = hooks.map(({ scripts, command }) => scripts[0]?.path ?? command);
  return names.length === 0 ? "" : ` There is: ${[...new Set(names)].join(", ")}.`;
}

async function isAllowed(
  terminal: Terminal,
  hooks: readonly FoundHook[],
  json: boolean | undefined,
): Promise<boolean> {
  const { stdout, stderr } = terminal;
  if (!terminal.isInteractive || json === true) {
    printLine(stderr, "Nothing was run: `--yes` runs these hooks in scratch copies of the project.");
    return false;
  }
  using prompt = new Prompt(terminal);
  const question = `Run ${counted(hooks.length, "hook")} in scratch copies of this project, with checks that only pretend to fail?`;
  const answer = await prompt.ask(question, "no");
  if (answer !== "yes") printLine(stdout, "Nothing was run.");
  return answer === "yes";
}
