import { relative } from "node:path";
import { explain, type Trouble } from "../../core/trouble.ts";
import { claudeCodeStopHook } from "../../install/claude-code.ts";
import { planUninstall } from "../../install/plan-hooks.ts";
import { previewChange } from "../../install/preview.ts";
import { applyEdit, prepareEdit } from "../../install/settings-edit.ts";
import { CONFIG_FILE, findProject } from "../../machine/find-project.ts";
import { EXIT } from "../exit-code.ts";
import { printLine, type Terminal } from "../terminal.ts";

export interface UninstallOptions {
  readonly dryRun?: boolean;
}

/** Takes our stop hook out of Claude Code's settings, and nothing else: here, or where the project above has it. */
export async function uninstallCommand(terminal: Terminal, { dryRun }: UninstallOptions): Promise<number> {
  const { cwd, stdout } = terminal;
  const here = await prepareEdit(cwd, REGISTRATION, planUninstall);
  const project = findProject(cwd);
  const isElsewhere = here.ok && here.value.change.kind === "unchanged" && project !== undefined;
  const edit = isElsewhere ? await prepareEdit(project, REGISTRATION, planUninstall) : here;
  if (!edit.ok) return complain(edit.trouble, terminal);
  const { path, before, change } = edit.value;
  const file = relative(cwd, path);
  if (change.kind === "unchanged") {
    printLine(stdout, `No stop hook of agent-gauntlet in ${file}.`);
    return EXIT.ok;
  }
  if (dryRun === true) {
    printLine(stdout, `Would change:\n\n${previewChange(file, before, change)}`);
    return EXIT.ok;
  }
  const applied = await applyEdit(edit.value);
  if (!applied.ok) return complain(applied.trouble, terminal);
  const alone = change.kind === "removed" ? "; nothing else was in it, so the file is gone too" : "";
  printLine(stdout, `✓ Stop hook removed from ${file}${alone}`);
  printLine(stdout, `${CONFIG_FILE} was left as it is: \`agent-gauntlet run\` still works.`);
  return EXIT.ok;
}

/** To recognise ours; which command it would install does not matter here. */
const REGISTRATION = claudeCodeStopHook("agent-gauntlet stop-hook");

function complain(trouble: Trouble, { stderr }: Terminal): number {
  printLine(stderr, explain(trouble));
  return EXIT.notOk;
}
