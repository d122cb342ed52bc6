import { explain } from "../../core/trouble.ts";
import { claudeCodeStopHook } from "../../install/claude-code.ts";
import { planUninstall } from "../../install/plan-hooks.ts";
import { applyEdit, prepareEdit } from "../../install/settings-edit.ts";
import { CONFIG_FILE } from "../../machine/find-project.ts";
import { type CommandWorld, say } from "../command-world.ts";

export interface UninstallOptions extends CommandWorld {
  readonly dryRun?: boolean;
}

/** `agent-gauntlet uninstall`: takes our stop hook out of Claude Code's settings, and nothing else. Answers the exit code. */
export async function runUninstall({ cwd, stdout, stderr, dryRun }: UninstallOptions): Promise<number> {
  const registration = claudeCodeStopHook("agent-gauntlet stop-hook");
  const { file } = registration;
  const edit = await prepareEdit(cwd, registration, planUninstall);
  if (!edit.ok) {
    say(stderr, explain(edit.trouble));
    return 1;
  }
  if (edit.value.change.kind === "unchanged") {
    say(stdout, `No stop hook of agent-gauntlet in ${file}.`);
    return 0;
  }
  const isGone = edit.value.change.kind === "removed";
  if (dryRun === true) {
    say(
      stdout,
      isGone ? `Would remove ${file}: nothing else is in it.` : `Would take the stop hook out of ${file}.`,
    );
    return 0;
  }
  const applied = await applyEdit(edit.value);
  if (!applied.ok) {
    say(stderr, explain(applied.trouble));
    return 1;
  }
  say(
    stdout,
    isGone
      ? `✓ Stop hook removed, and ${file} with it: nothing else was in it`
      : `✓ Stop hook removed from ${file}`,
  );
  say(stdout, `${CONFIG_FILE} was left as it is; \`agent-gauntlet run\` still works.`);
  return 0;
}
