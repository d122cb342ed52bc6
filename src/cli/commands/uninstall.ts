import { explain, type Trouble } from "../../core/trouble.ts";
import { claudeCodeStopHook } from "../../install/claude-code.ts";
import { planUninstall } from "../../install/plan-hooks.ts";
import { previewChange } from "../../install/preview.ts";
import { applyEdit, prepareEdit } from "../../install/settings-edit.ts";
import { CONFIG_FILE } from "../../machine/find-project.ts";
import { EXIT } from "../exit-code.ts";
import { printLine, type Terminal } from "../terminal.ts";

export interface UninstallOptions {
  readonly dryRun?: boolean;
}

/** Takes our stop hook out of Claude Code's settings, and nothing else. */
export async function uninstallCommand(terminal: Terminal, { dryRun }: UninstallOptions): Promise<number> {
  const { cwd, stdout } = terminal;
  const registration = claudeCodeStopHook("agent-gauntlet stop-hook");
  const { file } = registration;
  const edit = await prepareEdit(cwd, registration, planUninstall);
  if (!edit.ok) return complain(edit.trouble, terminal);
  const { before, change } = edit.value;
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

function complain(trouble: Trouble, { stderr }: Terminal): number {
  printLine(stderr, explain(trouble));
  return EXIT.notOk;
}
