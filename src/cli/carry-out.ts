import { explain, type Result } from "../core/trouble.ts";
import type { HostPlan, PlannedFile } from "../install/plan-hosts.ts";
import { previewChange } from "../install/preview.ts";
import { removeUserFile, replaceUserFile } from "../machine/user-file.ts";
import { confirm } from "./confirm.ts";
import { EXIT } from "./exit-code.ts";
import { printLine, type Terminal } from "./terminal.ts";

export interface CarryOutOptions {
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

/** Shows what would change, asks, does it, and says what else the person should know. Trouble in one file keeps no other back. */
export async function carryOut(
  terminal: Terminal,
  plan: HostPlan,
  { dryRun, yes }: CarryOutOptions,
): Promise<number> {
  show(terminal, plan);
  const changes = plan.files.filter((file) => file.change.kind !== "unchanged");
  const code = plan.troubles.length === 0 ? EXIT.ok : EXIT.notOk;
  if (changes.length === 0 || dryRun) return code;
  if (!yes && !(await confirm(terminal, "Change these files?"))) return EXIT.notOk;
  return (await apply(terminal, changes)) ? code : EXIT.notOk;
}

function show(terminal: Terminal, { files, troubles, notes }: HostPlan): void {
  for (const { shown, before, change } of files) terminal.stdout.write(previewChange(shown, before, change));
  for (const trouble of troubles) printLine(terminal.stderr, explain(trouble));
  for (const note of notes) printLine(terminal.stdout, `→ ${note}`);
}

async function apply(terminal: Terminal, changes: readonly PlannedFile[]): Promise<boolean> {
  const results = await Promise.all(changes.map(applyChange));
  for (const result of results) if (!result.ok) printLine(terminal.stderr, explain(result.trouble));
  const isDone = results.every((result) => result.ok);
  if (isDone) printLine(terminal.stdout, `✓ ${changes.map(({ shown }) => shown).join(", ")}`);
  return isDone;
}

function applyChange({ path, change }: PlannedFile): Promise<Result<undefined>> {
  return change.kind === "written" ? replaceUserFile(path, change.text) : removeUserFile(path);
}
